package xlsxtest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

var salt = []byte("0123456789abcdef")

// Agile encrypts an archive as Excel 2010 and later do, with that many hash rounds
// ([MS-OFFCRYPTO] 2.3.4.10–15).
func Agile(tb testing.TB, archive []byte, password string, rounds uint32) []byte {
	tb.Helper()
	secret := bytes.Repeat([]byte("key "), 8)
	digest := hash(salt, utf16LE(password))
	for i := range rounds {
		digest = hash(number(i), digest)
	}
	verifier := []byte("sixteen letters!")
	field := func(purpose uint64, b []byte) string {
		key := hash(digest, binary.BigEndian.AppendUint64(nil, purpose))[:32]
		return base64.StdEncoding.EncodeToString(encrypt(tb, key, salt, b))
	}
	method := fmt.Sprintf(`saltSize="16" blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512" saltValue="%s"`,
		base64.StdEncoding.EncodeToString(salt))
	info := fmt.Sprintf(`<encryption xmlns="http://schemas.microsoft.com/office/2006/encryption" xmlns:p="http://schemas.microsoft.com/office/2006/keyEncryptor/password">`+
		`<keyData %s/><keyEncryptors><keyEncryptor uri="http://schemas.microsoft.com/office/2006/keyEncryptor/password">`+
		`<p:encryptedKey spinCount="%d" %s encryptedVerifierHashInput="%s" encryptedVerifierHashValue="%s" encryptedKeyValue="%s"/></keyEncryptor></keyEncryptors></encryption>`,
		method, rounds, method, field(0xfea7d2763b4b9e79, verifier), field(0xd7aa0f6d3061344e, hash(verifier)), field(0x146e0be7abacd0d6, secret))

	body := binary.LittleEndian.AppendUint64(nil, uint64(len(archive)))
	for i := uint32(0); len(archive) > 0; i++ {
		part := bytes.Clone(archive[:min(4096, len(archive))])
		archive = archive[len(part):]
		part = append(part, make([]byte, (16-len(part)%16)%16)...)
		body = append(body, encrypt(tb, secret, hash(salt, number(i))[:16], part)...)
	}
	return Container(append([]byte{4, 0, 4, 0, 0x40, 0, 0, 0}, info...), body)
}

// Container returns an encrypted workbook with these streams.
func Container(info, body []byte) []byte {
	return xlstest.Container(xlstest.Stream{Name: "EncryptionInfo", Body: info}, xlstest.Stream{Name: "EncryptedPackage", Body: body})
}

func encrypt(tb testing.TB, key, iv, b []byte) []byte {
	tb.Helper()
	block, err := aes.NewCipher(key)
	require.NoError(tb, err)
	out := make([]byte, len(b))
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(out, b)
	return out
}

func hash(parts ...[]byte) []byte {
	sum := sha512.Sum512(bytes.Join(parts, nil))
	return sum[:]
}

func number(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

func utf16LE(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}
