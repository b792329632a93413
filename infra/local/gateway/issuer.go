package gateway

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Audience is the audience of local tokens.
const Audience = "loadbay"

// OpenIDPath is the path of the local provider, below the API's address.
const OpenIDPath = "/local/openid"

// keyID is the key id in tokens; there is only one key.
const keyID = "local"

// Claims are a token's claims as a function receives them: all are strings.
type Claims map[string]string

// Issuer signs and verifies local tokens (ES256).
type Issuer struct {
	name  string
	key   *ecdsa.PrivateKey
	names map[string]string
}

// NewIssuer returns an issuer with a name, which is an address, and the key in the file. If
// the file does not exist, NewIssuer generates a key and writes it (mode 0600).
func NewIssuer(name, file string) (*Issuer, error) {
	key, err := readKey(file)
	if err != nil {
		return nil, err
	}
	return &Issuer{name: name, key: key}, nil
}

// WithClaimNames renames claims in all tokens from now on. names maps a claim to its new name:
// claim names differ between issuers.
func (i *Issuer) WithClaimNames(names map[string]string) *Issuer {
	return &Issuer{name: i.name, key: i.key, names: names}
}

// RenameClaims returns the claims under the names used in tokens.
func (i *Issuer) RenameClaims(c Claims) Claims {
	named := make(Claims, len(c))
	for name, value := range c {
		named[cmp.Or(i.names[name], name)] = value
	}
	return named
}

// Name returns the iss claim of the tokens.
func (i *Issuer) Name() string { return i.name }

// PublicKey returns the key that verifies the tokens, as a JSON Web Key (RFC 7517).
func (i *Issuer) PublicKey() map[string]string {
	point, _ := i.key.PublicKey.Bytes() // the key is on its curve
	half := len(point) / 2              // 4, x, y
	return map[string]string{
		"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": keyID,
		"x": base64.RawURLEncoding.EncodeToString(point[1 : half+1]), "y": base64.RawURLEncoding.EncodeToString(point[half+1:]),
	}
}

func readKey(file string) (*ecdsa.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return createKey(file)
	}
	if err != nil {
		return nil, fmt.Errorf("read token key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("read token key: %s contains no key; delete it to create a new one", file)
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read token key: %w", err)
	}
	return key, nil
}

func createKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("create token key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("create token key: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	// Renamed into place, so that a kill leaves either a complete key or none.
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return nil, fmt.Errorf("save token key: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return nil, fmt.Errorf("save token key: %w", err)
	}
	return key, nil
}

// Sign returns a token for the API with these claims, valid from now for the given duration.
func (i *Issuer) Sign(c Claims, valid time.Duration) (string, error) {
	return i.SignForAudience(Audience, c, valid)
}

// SignForAudience is Sign for another audience, which the API rejects.
func (i *Issuer) SignForAudience(audience string, c Claims, valid time.Duration) (string, error) {
	now := time.Now()
	claims := jwt.MapClaims{"iss": i.name, "aud": audience, "iat": now.Unix(), "exp": now.Add(valid).Unix()}
	for name, value := range i.RenameClaims(c) {
		claims[name] = value
	}
	unsigned := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	unsigned.Header["kid"] = keyID
	token, err := unsigned.SignedString(i.key)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return token, nil
}

// Verify returns the claims of a token that this issuer signed and that is
// currently valid.
func (i *Issuer) Verify(_ context.Context, token string) (Claims, error) {
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return &i.key.PublicKey, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodES256.Alg()}),
		jwt.WithIssuer(i.name), jwt.WithAudience(Audience), jwt.WithExpirationRequired(), jwt.WithJSONNumber())
	return verifiedClaims(claims, err)
}

// verifiedClaims returns the claims of a parsed token as a function receives them, or an error that
// the caller may see.
func verifiedClaims(claims jwt.MapClaims, err error) (Claims, error) {
	if errors.Is(err, jwt.ErrTokenExpired) {
		return nil, errors.New("the token has expired")
	}
	if err != nil {
		return nil, errors.New("the token is not valid")
	}
	claimSet := make(Claims, len(claims))
	for name, value := range claims {
		claimSet[name] = fmt.Sprint(value) // a list becomes "[a b]", as with API Gateway
	}
	return claimSet, nil
}
