package crypt

import (
	"bytes"
	"crypto/aes"
	"crypto/sha1"
	"encoding/binary"
)

// standardDecrypter returns the decrypter for the encryption of Excel 2007: AES without chaining
// ([MS-OFFCRYPTO] 2.3.4.5–9).
func standardDecrypter(info []byte, password string) (func(body []byte), error) {
	const (
		rounds  = 50_000
		headMin = 32 // of the header, before the name of the provider
		saltLen = 16
		tailLen = 4 + saltLen + aes.BlockSize + 4 + 2*aes.BlockSize // salt, verifier, its hash
	)
	if len(info) < 4 {
		return nil, damagedError()
	}
	headLen := int64(binary.LittleEndian.Uint32(info))
	if headLen < headMin || headLen+4+tailLen > int64(len(info)) {
		return nil, damagedError()
	}
	bits := binary.LittleEndian.Uint32(info[4+16:])
	if bits != 128 && bits != 192 && bits != 256 {
		return nil, encryptedError()
	}
	tail := info[4+headLen:]
	splitOff(&tail, 4) // size of the salt, which is constant
	salt, verifier := splitOff(&tail, saltLen), splitOff(&tail, aes.BlockSize)
	splitOff(&tail, 4) // size of the hash, which is constant
	digest := tail[:2*aes.BlockSize]

	key := standardKey(iterateHash(sha1.New(), salt, utf16Password(password), rounds))[:bits/8]
	verifier, digest = bytes.Clone(verifier), bytes.Clone(digest)
	electronicCodebook(key, verifier)
	electronicCodebook(key, digest)
	if !bytes.Equal(hashParts(sha1.New(), verifier), digest[:sha1.Size]) {
		return nil, encryptedError()
	}
	return func(body []byte) { electronicCodebook(key, body) }, nil
}

// standardKey returns the longest key that can be derived from a hash.
func standardKey(digest []byte) []byte {
	h := sha1.New()
	digest = hashParts(h, digest, uint32LE(0))
	var key []byte
	for _, pad := range []byte{0x36, 0x5c} {
		block := bytes.Repeat([]byte{pad}, h.BlockSize())
		for i, b := range digest {
			block[i] ^= b
		}
		key = append(key, hashParts(h, block)...)
	}
	return key
}

// electronicCodebook decrypts the whole blocks of b.
func electronicCodebook(key, b []byte) {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the length of the key was checked
	}
	for ; len(b) >= aes.BlockSize; b = b[aes.BlockSize:] {
		block.Decrypt(b, b)
	}
}
