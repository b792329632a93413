// Package crypt decrypts workbooks with a known password ([MS-OFFCRYPTO]): the packages of new
// ones (agile and standard encryption) and the records of old ones (XOR obfuscation, RC4, RC4
// CryptoAPI).
//
// Excel encrypts write-protected workbooks with a built-in password, DefaultPassword: such files
// open without a prompt, and their owners do not know that they are encrypted.
//
// All functions work in place on bytes in memory. They return FILE_ENCRYPTED for another password
// or method, and FILE_CORRUPT for data that is shorter than declared.
package crypt

import (
	"encoding/binary"
	"hash"
	"unicode/utf16"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// DefaultPassword is Excel's built-in password.
const DefaultPassword = "VelvetSweatshop"

// encryptedError returns FILE_ENCRYPTED, for a workbook with an unknown password.
func encryptedError() error {
	return problem.New(problem.FileEncrypted, "The workbook is protected by a password. Remove it and try again.")
}

func damagedError() error {
	return sheet.DamagedError(nil, "its encryption information is incomplete")
}

// utf16Password encodes a password in UTF-16LE.
func utf16Password(password string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(password)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// hashParts returns the hash of the concatenated parts.
func hashParts(h hash.Hash, parts ...[]byte) []byte {
	h.Reset()
	for _, p := range parts {
		_, _ = h.Write(p) // a hash never returns an error
	}
	return h.Sum(nil)
}

func uint32LE(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// iterateHash returns the hash of salt and password, hashed again that many times with the round
// number as a prefix.
func iterateHash(h hash.Hash, salt, password []byte, rounds uint32) []byte {
	var round [4]byte
	digest := hashParts(h, salt, password)
	for i := range rounds {
		binary.LittleEndian.PutUint32(round[:], i)
		h.Reset()
		_, _ = h.Write(round[:])
		_, _ = h.Write(digest)
		digest = h.Sum(digest[:0])
	}
	return digest
}

// splitOff removes and returns the first n bytes of b, which must have them.
func splitOff(b *[]byte, n int) []byte {
	head := (*b)[:n]
	*b = (*b)[n:]
	return head
}
