package crypt

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha1"
	"encoding/binary"
	"hash"
)

// Records decrypts the records of an old workbook.
type Records interface {
	// Decrypt decrypts b in place. place is its offset in the stream; b is the end, or all, of
	// the body of a record of that size.
	Decrypt(b []byte, place, size int)
}

// The encryption methods that the first two bytes of a FilePass record specify.
const (
	byXOR = 0
	byRC4 = 1
)

// FilePass returns the decrypter for the records after a FilePass record with that body. Before
// Excel 97, there was only one method, which the record does not name.
func FilePass(body []byte, excel97 bool, password string) (Records, error) {
	way := uint16(byXOR)
	if excel97 {
		if len(body) < 2 {
			return nil, damagedError()
		}
		way = binary.LittleEndian.Uint16(splitOff(&body, 2))
	}
	if len(body) < 4 {
		return nil, damagedError()
	}
	major, minor := binary.LittleEndian.Uint16(body), binary.LittleEndian.Uint16(body[2:])
	switch {
	case way == byXOR:
		return newXOR(major, minor, password)
	case way == byRC4 && major == 1 && minor == 1:
		return newRC4(body[4:], password)
	case way == byRC4 && major >= 2 && major <= 4 && minor == 2:
		return newCryptoAPI(body[4:], password)
	}
	return nil, encryptedError()
}

// newRC4 returns RC4 with the key derivation of Excel 97 ([MS-OFFCRYPTO] 2.3.6).
func newRC4(body []byte, password string) (Records, error) {
	const saltLen, keyLen = 16, 5
	if len(body) < saltLen+verifierLen+md5.Size {
		return nil, damagedError()
	}
	h := md5.New()
	first := hashParts(h, utf16Password(password))[:keyLen]
	second := hashParts(h, bytes.Repeat(append(first, splitOff(&body, saltLen)...), 16))[:keyLen]
	return newVerifiedRC4(h, body, func(block uint32) []byte { return hashParts(h, second, uint32LE(block)) })
}

// newCryptoAPI returns RC4 with the key derivation of CryptoAPI ([MS-OFFCRYPTO] 2.3.5).
func newCryptoAPI(body []byte, password string) (Records, error) {
	const (
		headMin = 32 // of the header, before the name of the provider
		saltLen = 16
		tailLen = 4 + saltLen + verifierLen + 4 + sha1.Size
	)
	if len(body) < 8 {
		return nil, damagedError()
	}
	headLen := int64(binary.LittleEndian.Uint32(body[4:]))
	if headLen < headMin || 8+headLen+tailLen > int64(len(body)) {
		return nil, damagedError()
	}
	bits := binary.LittleEndian.Uint32(body[8+16:])
	if bits == 0 {
		bits = 40
	}
	if bits < 40 || bits > 128 || bits%8 != 0 {
		return nil, encryptedError()
	}
	tail := body[8+headLen:]
	splitOff(&tail, 4) // size of the salt, which is constant
	h := sha1.New()
	first := hashParts(h, splitOff(&tail, saltLen), utf16Password(password))
	verifier := bytes.Clone(splitOff(&tail, verifierLen))
	splitOff(&tail, 4) // size of the hash
	return newVerifiedRC4(h, append(verifier, tail[:sha1.Size]...), func(block uint32) []byte {
		key := hashParts(h, first, uint32LE(block))[:bits/8]
		if bits == 40 {
			key = padTo(key, 16, 0)
		}
		return key
	})
}

// verifierLen is the length of the verifier, which is followed by its hash and shows whether a
// password is correct.
const verifierLen = 16

// newVerifiedRC4 returns RC4 with these keys, if they are correct.
func newVerifiedRC4(h hash.Hash, encrypted []byte, key func(block uint32) []byte) (Records, error) {
	b := bytes.Clone(encrypted[:verifierLen+h.Size()])
	newCipher(key(0)).XORKeyStream(b, b)
	if !bytes.Equal(hashParts(h, b[:verifierLen]), b[verifierLen:]) {
		return nil, encryptedError()
	}
	return &blockRC4{key: key, number: -1}, nil
}

// blockRC4 is RC4 with a new key for each block of the stream. Record headers count towards
// blocks although they are not encrypted.
type blockRC4 struct {
	key    func(block uint32) []byte
	number int // block number of the stream cipher
	stream [blockLen]byte
}

const blockLen = 1024

// Decrypt implements Records.
func (s *blockRC4) Decrypt(b []byte, place, _ int) {
	for i := range b {
		if number := (place + i) / blockLen; number != s.number {
			s.number = number
			clear(s.stream[:])
			newCipher(s.key(uint32(number))).XORKeyStream(s.stream[:], s.stream[:])
		}
		b[i] ^= s.stream[(place+i)%blockLen]
	}
}

func newCipher(key []byte) *rc4.Cipher {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // keys have 5 to 16 bytes
	}
	return c
}
