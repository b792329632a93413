package crypt

import "math/bits"

// The results of XOR obfuscation with DefaultPassword ([MS-OFFCRYPTO] 2.3.7): the key and the
// verifier in the FilePass record, and the bytes that are combined with the records. Other
// passwords result in other values.
const (
	defaultKey      = 0xb359
	defaultVerifier = 0x9a0a
)

var defaultBytes = xorCipher{0x87, 0x6b, 0x9a, 0xe2, 0x1e, 0xe3, 0x05, 0x62, 0x1e, 0x69, 0x96, 0x60, 0x98, 0x6e, 0x94, 0x04}

// newXOR returns XOR obfuscation with DefaultPassword; other passwords are not supported.
func newXOR(key, verifier uint16, password string) (Records, error) {
	if password != DefaultPassword || key != defaultKey || verifier != defaultVerifier {
		return nil, encryptedError()
	}
	return &defaultBytes, nil
}

// xorCipher combines records with a repeated sequence of bytes. The start within the sequence
// depends on the record's end.
type xorCipher [16]byte

// Decrypt implements Records.
func (x *xorCipher) Decrypt(b []byte, place, size int) {
	for i := range b {
		b[i] = bits.RotateLeft8(b[i]^x[(place+size+i)%len(x)], 3)
	}
}
