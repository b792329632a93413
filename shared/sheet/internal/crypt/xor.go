package crypt

import "math/bits"

// What Default makes of XOR obfuscation ([MS-OFFCRYPTO] 2.3.7): the key and the
// verifier that a FilePass record then holds, and the bytes that records are
// mixed with. Other passwords have others.
const (
	defaultKey      = 0xb359
	defaultVerifier = 0x9a0a
)

var defaultBytes = xorCipher{0x87, 0x6b, 0x9a, 0xe2, 0x1e, 0xe3, 0x05, 0x62, 0x1e, 0x69, 0x96, 0x60, 0x98, 0x6e, 0x94, 0x04}

// newXOR is XOR obfuscation by Default; its bytes for other passwords are not
// known here.
func newXOR(key, verifier uint16, password string) (Records, error) {
	if password != DefaultPassword || key != defaultKey || verifier != defaultVerifier {
		return nil, encryptedError()
	}
	return &defaultBytes, nil
}

// xorCipher mixes records with the same bytes again and again. Where it begins with
// them is counted from the record's end.
type xorCipher [16]byte

// Decrypt implements Records.
func (x *xorCipher) Decrypt(b []byte, place, size int) {
	for i := range b {
		b[i] = bits.RotateLeft8(b[i]^x[(place+size+i)%len(x)], 3)
	}
}
