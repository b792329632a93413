package crypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/xml"
	"hash"
	"slices"
)

// descriptor describes the encryption of a package ([MS-OFFCRYPTO] 2.3.4.10).
type descriptor struct {
	Data method    `xml:"keyData"`
	Keys []keyInfo `xml:"keyEncryptors>keyEncryptor>encryptedKey"`
}

type method struct {
	Salt     base64Bytes `xml:"saltValue,attr"`
	KeyBits  int         `xml:"keyBits,attr"`
	Cipher   string      `xml:"cipherAlgorithm,attr"`
	Chaining string      `xml:"cipherChaining,attr"`
	Hash     string      `xml:"hashAlgorithm,attr"`
}

// keyInfo is the package's key, encrypted with the password or, under another URI, with
// something else.
type keyInfo struct {
	XMLName xml.Name
	method
	Rounds   uint32      `xml:"spinCount,attr"`
	SaltSize int         `xml:"saltSize,attr"`
	Verifier base64Bytes `xml:"encryptedVerifierHashInput,attr"`
	Digest   base64Bytes `xml:"encryptedVerifierHashValue,attr"`
	Key      base64Bytes `xml:"encryptedKeyValue,attr"`
}

// byPassword is the URI of keys that are encrypted with a password.
const byPassword = "http://schemas.microsoft.com/office/2006/keyEncryptor/password"

// base64Bytes decodes base64 attributes.
type base64Bytes []byte

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *base64Bytes) UnmarshalText(text []byte) (err error) {
	*o, err = base64.StdEncoding.DecodeString(string(text))
	return err
}

// The block keys for the parts of a key ([MS-OFFCRYPTO] 2.3.4.13).
var (
	blockKeyVerifier = []byte{0xfe, 0xa7, 0xd2, 0x76, 0x3b, 0x4b, 0x9e, 0x79}
	blockKeyDigest   = []byte{0xd7, 0xaa, 0x0f, 0x6d, 0x30, 0x61, 0x34, 0x4e}
	blockKeyKey      = []byte{0x14, 0x6e, 0x0b, 0xe7, 0xab, 0xac, 0xd0, 0xd6}
)

// agileDecrypter returns the decrypter for the encryption of Excel 2010 and later: AES in CBC
// segments of 4,096 bytes.
func agileDecrypter(info []byte, password string) (func(body []byte), error) {
	var d descriptor
	if err := xml.Unmarshal(info, &d); err != nil {
		return nil, encryptedError()
	}
	i := slices.IndexFunc(d.Keys, func(k keyInfo) bool { return k.XMLName.Space == byPassword })
	if i < 0 {
		return nil, encryptedError()
	}
	key, err := d.Keys[i].decryptKey(password)
	if err != nil {
		return nil, err
	}
	h := d.Data.hash()
	if h == nil || !d.Data.isSupported() || len(key) < d.Data.KeyBits/8 {
		return nil, encryptedError()
	}
	block, err := aes.NewCipher(key[:d.Data.KeyBits/8])
	if err != nil {
		return nil, encryptedError()
	}
	return func(body []byte) { decryptSegments(block, h, d.Data.Salt, body) }, nil
}

// decryptSegments decrypts segments of 4,096 bytes, each a CBC chain with a hash of the salt
// and the segment's number as IV.
func decryptSegments(block cipher.Block, h hash.Hash, salt, body []byte) {
	const segment = 4096
	for i := uint32(0); len(body) >= aes.BlockSize; i++ {
		n := min(segment, len(body)/aes.BlockSize*aes.BlockSize)
		iv := hashParts(h, salt, uint32LE(i))[:aes.BlockSize]
		cipher.NewCBCDecrypter(block, iv).CryptBlocks(body[:n], body[:n])
		body = body[n:]
	}
}

// decryptKey returns the package's key if the password is correct.
func (k *keyInfo) decryptKey(password string) ([]byte, error) {
	// maxRounds limits the number of hash rounds: programs use 100,000, which takes some 30 ms.
	const maxRounds = 1_000_000
	h := k.hash()
	if h == nil || !k.isSupported() || k.Rounds > maxRounds || !k.isComplete(h.Size()) {
		return nil, encryptedError()
	}
	digest := iterateHash(h, k.Salt, utf16Password(password), k.Rounds)
	part := func(purpose, encrypted []byte) []byte {
		return k.decrypt(hashParts(h, digest, purpose), encrypted)
	}
	verifier := part(blockKeyVerifier, k.Verifier)
	if !bytes.Equal(hashParts(h, verifier[:k.SaltSize]), part(blockKeyDigest, k.Digest)[:h.Size()]) {
		return nil, encryptedError()
	}
	return part(blockKeyKey, k.Key), nil
}

// isComplete reports whether all encrypted values are present, in whole blocks.
func (k *keyInfo) isComplete(digestLen int) bool {
	for _, b := range [][]byte{k.Verifier, k.Digest, k.Key} {
		if len(b)%aes.BlockSize != 0 {
			return false
		}
	}
	return k.SaltSize > 0 && k.SaltSize <= len(k.Verifier) && digestLen <= len(k.Digest)
}

// decrypt decrypts whole blocks with a key derived from the hash, in one CBC chain with the salt
// as IV.
func (m *method) decrypt(digest, encrypted []byte) []byte {
	const filler = 0x36
	key := padTo(digest, m.KeyBits/8, filler)
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // isSupported has checked the length of the key
	}
	out := make([]byte, len(encrypted))
	cipher.NewCBCDecrypter(block, padTo(m.Salt, aes.BlockSize, filler)).CryptBlocks(out, encrypted)
	return out
}

// padTo pads or truncates b to n bytes.
func padTo(b []byte, n int, filler byte) []byte {
	out := bytes.Repeat([]byte{filler}, n)
	copy(out, b)
	return out
}

// isSupported reports whether programs use the method.
func (m *method) isSupported() bool {
	return m.Cipher == "AES" && m.Chaining == "ChainingModeCBC" && (m.KeyBits == 128 || m.KeyBits == 192 || m.KeyBits == 256)
}

// hash returns the method's hash; nil if it is not supported.
func (m *method) hash() hash.Hash {
	switch m.Hash {
	case "SHA1", "SHA-1":
		return sha1.New()
	case "SHA256", "SHA-256":
		return sha256.New()
	case "SHA384", "SHA-384":
		return sha512.New384()
	case "SHA512", "SHA-512":
		return sha512.New()
	}
	return nil
}
