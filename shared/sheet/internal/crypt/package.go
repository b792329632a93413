package crypt

import (
	"bytes"
	"encoding/binary"
)

// maxInfoBytes limits the size of the encryption information, including certificates.
const maxInfoBytes = 64 << 10

// Package decrypts the package of a workbook in place: the contents of its streams EncryptionInfo
// and EncryptedPackage.
func Package(info, body []byte, password string) (*bytes.Reader, error) {
	const sizeLen = 8
	decrypt, err := newDecrypter(info, password)
	if err != nil {
		return nil, err
	}
	if len(body) < sizeLen {
		return nil, damagedError()
	}
	size := binary.LittleEndian.Uint64(body)
	if body = body[sizeLen:]; size > uint64(len(body)) {
		return nil, damagedError()
	}
	decrypt(body)
	return bytes.NewReader(body[:size]), nil
}

// newDecrypter returns the in-place decrypter of the package, if the password is correct.
func newDecrypter(info []byte, password string) (func(body []byte), error) {
	if len(info) < 8 || len(info) > maxInfoBytes {
		return nil, damagedError()
	}
	major, minor := binary.LittleEndian.Uint16(info), binary.LittleEndian.Uint16(info[2:])
	switch {
	case major == 4 && minor == 4:
		return agileDecrypter(info[8:], password)
	case major >= 2 && major <= 4 && minor == 2:
		return standardDecrypter(info[8:], password)
	}
	return nil, encryptedError()
}
