package sheet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/loadbay/loadbay/shared/problem"
)

// Digest is a source that computes the SHA-256 of its bytes while they are read in order, so
// that a text file is not read twice.
type Digest struct {
	Source
	mu   sync.Mutex
	hash hash.Hash
	next int64 // first byte that is not hashed yet
}

// NewDigest wraps a source.
func NewDigest(src Source) *Digest { return &Digest{Source: src, hash: sha256.New()} }

// smallGap is the maximum gap that is read for the hash only: a header, which a second reader
// skips.
const smallGap = 1 << 20

// ReadAt implements io.ReaderAt.
func (d *Digest) ReadAt(p []byte, offset int64) (int, error) {
	n, err := d.Source.ReadAt(p, offset)
	d.mu.Lock()
	defer d.mu.Unlock()
	if gap := offset - d.next; gap > 0 && gap <= smallGap && n > 0 {
		if err := d.hashUpTo(offset); err != nil {
			return 0, err
		}
	}
	if end := offset + int64(n); offset <= d.next && end > d.next {
		d.hash.Write(p[d.next-offset : n])
		d.next = end
	}
	return n, err
}

// hashUpTo reads and hashes the remaining bytes before end.
func (d *Digest) hashUpTo(end int64) error {
	n, err := io.Copy(d.hash, io.NewSectionReader(d.Source, d.next, end-d.next))
	d.next += n
	if err == nil && d.next < end {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("hash byte %d: %w", d.next, err)
	}
	return nil
}

// Verify returns SHA256, or CHECKSUM_MISMATCH if it differs from announced, which is in hex, or
// "" if no checksum was announced.
func (d *Digest) Verify(announced string) (string, error) {
	sum, err := d.SHA256()
	if err == nil && announced != "" && announced != sum {
		return "", problem.New(problem.ChecksumMismatch, "The file does not match the announced checksum.")
	}
	return sum, err
}

// Cause returns CHECKSUM_MISMATCH instead of an error in the content of the file if it is not the file
// that was announced: an error in it would blame a file that the caller did not send. Other errors
// are returned unchanged.
func (d *Digest) Cause(err error, announced string) error {
	if code := problem.CodeOf(err); announced == "" || code == "" || code == problem.Internal {
		return err
	}
	if _, other := d.Verify(announced); problem.CodeOf(other) == problem.ChecksumMismatch {
		return other
	}
	return err
}

// SHA256 returns the hash of the whole source in hex. It reads the bytes that were not read in
// order: nearly all of a workbook, because its parts are read in any order.
func (d *Digest) SHA256() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.hashUpTo(d.Size()); err != nil {
		return "", err
	}
	return hex.EncodeToString(d.hash.Sum(nil)), nil
}
