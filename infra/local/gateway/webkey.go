package gateway

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"math/big"
)

// minRSABits is the smallest accepted RSA key (RFC 7518, section 3.3).
const minRSABits = 2048

// webKey is a public key for signatures (RFC 7517).
type webKey struct {
	Type  string `json:"kty"`
	Use   string `json:"use"`
	ID    string `json:"kid"`
	N     string `json:"n"`
	E     string `json:"e"`
	Curve string `json:"crv"`
	X     string `json:"x"`
	Y     string `json:"y"`
}

// public returns the key, if it is for signatures and of a supported type.
func (k webKey) public() (crypto.PublicKey, bool) {
	if k.Use != "" && k.Use != "sig" {
		return nil, false
	}
	switch k.Type {
	case "RSA":
		return k.rsa()
	case "EC":
		return k.ecdsa()
	}
	return nil, false
}

func (k webKey) rsa() (crypto.PublicKey, bool) {
	n, err := base64.RawURLEncoding.DecodeString(k.N)
	if err != nil {
		return nil, false
	}
	e, err := base64.RawURLEncoding.DecodeString(k.E)
	if err != nil || len(e) == 0 || len(e) > 4 {
		return nil, false
	}
	key := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
	return key, key.N.BitLen() >= minRSABits && key.E > 1
}

func (k webKey) ecdsa() (crypto.PublicKey, bool) {
	curve, ok := map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}[k.Curve]
	if !ok {
		return nil, false
	}
	point := []byte{4} // uncompressed
	for _, coordinate := range []string{k.X, k.Y} {
		bytes, err := base64.RawURLEncoding.DecodeString(coordinate)
		if err != nil || len(bytes) != (curve.Params().BitSize+7)/8 {
			return nil, false
		}
		point = append(point, bytes...)
	}
	key, err := ecdsa.ParseUncompressedPublicKey(curve, point)
	return key, err == nil
}
