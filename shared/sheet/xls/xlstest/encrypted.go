package xlstest

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha1"
	"encoding/binary"
	"hash"
	"math/bits"
	"slices"
	"unicode/utf16"
)

// Cipher encrypts the records of a workbook: see RC4, CryptoAPI and XOR.
type Cipher struct {
	filePass []byte // the FilePass record
	encrypt  func(body []byte, place, size int)
}

// Encrypted returns the workbook's stream with its records encrypted, except for their headers, BOF
// records and the positions of sheets.
func (b Book) Encrypted(c Cipher) []byte {
	b.Globals = append([][]byte{c.filePass}, b.Globals...)
	stream := b.Stream()
	for place := 0; place < len(stream); {
		id, size := binary.LittleEndian.Uint16(stream[place:]), int(binary.LittleEndian.Uint16(stream[place+2:]))
		place += 4
		plain := 0
		switch id {
		case 0x0809, 0x002f, 0x00e1, 0x0138, 0x0194, 0x0195, 0x0196:
			plain = size
		case 0x0085:
			plain = 4
		}
		c.encrypt(stream[place+plain:place+size], place+plain, size)
		place += size
	}
	return stream
}

const verifier = "sixteen letters!"

var salt = []byte("0123456789abcdef")

// RC4 returns the cipher of Excel 97 ([MS-OFFCRYPTO] 2.3.6).
func RC4(password string) Cipher {
	first := md5.Sum(utf16LE(password))
	second := md5.Sum(bytes.Repeat(slices.Concat(first[:5], salt), 16))
	key := func(block uint32) []byte {
		sum := md5.Sum(binary.LittleEndian.AppendUint32(bytes.Clone(second[:5]), block))
		return sum[:]
	}
	checked := encryptedVerifier(key, md5.New())
	return Cipher{Record(0x002f, uint16(1), uint16(1), uint16(1), salt, checked), blocks(key)}
}

// CryptoAPI returns the cipher of Excel 2002 and 2003, with a key of that many bits ([MS-OFFCRYPTO]
// 2.3.5).
func CryptoAPI(password string, bits int) Cipher {
	first := sha1.Sum(append(bytes.Clone(salt), utf16LE(password)...))
	key := func(block uint32) []byte {
		sum := sha1.Sum(binary.LittleEndian.AppendUint32(bytes.Clone(first[:]), block))
		if bits == 40 {
			return append(sum[:5:5], make([]byte, 11)...)
		}
		return sum[:bits/8]
	}
	checked := encryptedVerifier(key, sha1.New())
	provider := utf16LE("a provider\x00")
	return Cipher{Record(0x002f, uint16(1), uint16(4), uint16(2), uint32(4), uint32(32+len(provider)),
		uint32(4), uint32(0), uint32(0x6801), uint32(0x8004), uint32(bits), uint32(1), uint64(0), provider,
		uint32(len(salt)), salt, checked[:len(verifier)], uint32(sha1.Size), checked[len(verifier):]), blocks(key)}
}

// XOR returns the obfuscation of Excel 5 and 95 with the bytes derived from the password
// ([MS-OFFCRYPTO] 2.3.7); key and verifier are part of its record.
func XOR(version, key, verifier uint16, with [16]byte) Cipher {
	filePass := Record(0x002f, key, verifier)
	if version >= BIFF8 {
		filePass = Record(0x002f, uint16(0), key, verifier)
	}
	return Cipher{filePass, func(body []byte, place, size int) {
		for i := range body {
			body[i] = bits.RotateLeft8(body[i], 5) ^ with[(place+size+i)%16]
		}
	}}
}

// encryptedVerifier returns the encrypted verifier and its hash.
func encryptedVerifier(key func(uint32) []byte, h hash.Hash) []byte {
	h.Write([]byte(verifier))
	b := h.Sum([]byte(verifier))
	keyed(key(0)).XORKeyStream(b, b)
	return b
}

// blocks encrypts each 1,024 bytes of the stream with another key.
func blocks(key func(uint32) []byte) func([]byte, int, int) {
	return func(body []byte, place, _ int) {
		for len(body) > 0 {
			c := keyed(key(uint32(place / 1024)))
			skipped := make([]byte, place%1024)
			c.XORKeyStream(skipped, skipped)
			n := min(len(body), 1024-len(skipped))
			c.XORKeyStream(body[:n], body[:n])
			body, place = body[n:], place+n
		}
	}
}

func keyed(key []byte) *rc4.Cipher {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // a mistake in a test
	}
	return c
}

func utf16LE(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}
