// Package crypt decrypts workbooks whose password is known ([MS-OFFCRYPTO]): the
// packages of new ones (agile and standard encryption) and the records of old
// ones (XOR obfuscation, RC4, RC4 of CryptoAPI).
//
// Excel encrypts with a password of its own, Default, where only writing is to
// be protected: such files open without asking, and their owners do not know
// that they are encrypted.
//
// All works on bytes in memory, in place. Another password, or a way that is not
// one of these, is FILE_ENCRYPTED; what is too short for what it says is
// FILE_CORRUPT.
package crypt

import (
	"encoding/binary"
	"hash"
	"unicode/utf16"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// DefaultPassword is the password that Excel tries by itself.
const DefaultPassword = "VelvetSweatshop"

// encryptedError is the error of a workbook whose password is not known:
// FILE_ENCRYPTED.
func encryptedError() error {
	return problem.New(problem.FileEncrypted, "The workbook is protected by a password. Remove it and try again.")
}

func damagedError() error {
	return sheet.DamagedError(nil, "what is said of its encryption is cut off")
}

// utf16Password are the bytes of a password in UTF-16LE.
func utf16Password(password string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(password)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// hashParts is the hash of all parts.
func hashParts(h hash.Hash, parts ...[]byte) []byte {
	h.Reset()
	for _, p := range parts {
		_, _ = h.Write(p) // a hash takes everything
	}
	return h.Sum(nil)
}

func uint32LE(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// iterateHash is the hash of salt and password, hashed again so many times with the
// number of the round before it.
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

// splitOff takes n bytes off the front of b, which has been checked to have them.
func splitOff(b *[]byte, n int) []byte {
	head := (*b)[:n]
	*b = (*b)[n:]
	return head
}
