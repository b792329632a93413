package crypt

import (
	"bytes"
	"encoding/binary"
)

// maxInfo bounds what says how a package is encrypted, certificates included.
const maxInfo = 64 << 10

// Package decrypts the package of a workbook in place: the content of its
// streams EncryptionInfo and EncryptedPackage.
func Package(info, body []byte, password string) (*bytes.Reader, error) {
	const sizeLen = 8
	if len(info) < 8 || len(info) > maxInfo || len(body) < sizeLen {
		return nil, damaged()
	}
	major, minor := binary.LittleEndian.Uint16(info), binary.LittleEndian.Uint16(info[2:])
	size := binary.LittleEndian.Uint64(body)
	body = body[sizeLen:]
	if size > uint64(len(body)) {
		return nil, damaged()
	}
	var err error
	switch {
	case major == 4 && minor == 4:
		err = agile(info[8:], body, password)
	case major >= 2 && major <= 4 && minor == 2:
		err = standard(info[8:], body, password)
	default:
		err = Protected()
	}
	if err != nil {
		return nil, err
	}
	return bytes.NewReader(body[:size]), nil
}
