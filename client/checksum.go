package client

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// checksum returns the SHA-256 of a file. The API compares it with the uploaded bytes.
func checksum(file Source, size int64) (*string, error) {
	hash := sha256.New()
	n, err := io.Copy(hash, fileSection(file, 0, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("read %d bytes: %w", size, err)
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	return &sum, nil
}
