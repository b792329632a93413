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

// Digest is a source that finds out the SHA-256 of its bytes along the way: what is
// read in order is summed up as it passes, so that a text that is read as a whole
// is not read twice.
type Digest struct {
	Source
	mu   sync.Mutex
	hash hash.Hash
	next int64 // the first byte that is not summed up yet
}

// NewDigest wraps a source.
func NewDigest(src Source) *Digest { return &Digest{Source: src, hash: sha256.New()} }

// smallGap is how many bytes are read for the sum alone while others read on: a
// header, which a reader that has seen it skips.
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

// hashUpTo reads what is left before that byte.
func (d *Digest) hashUpTo(end int64) error {
	n, err := io.Copy(d.hash, io.NewSectionReader(d.Source, d.next, end-d.next))
	d.next += n
	if err == nil && d.next < end {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("sum up byte %d: %w", d.next, err)
	}
	return nil
}

// Verify returns SHA256, or CHECKSUM_MISMATCH if another sum was announced: in hex,
// "" where none was.
func (d *Digest) Verify(announced string) (string, error) {
	sum, err := d.SHA256()
	if err == nil && announced != "" && announced != sum {
		return "", problem.New(problem.ChecksumMismatch, "The file does not have the checksum that was announced.")
	}
	return sum, err
}

// SHA256 is the sum of the whole source in hex. It reads whatever nobody has read
// in order: of a workbook, whose parts are read here and there, nearly all.
func (d *Digest) SHA256() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.hashUpTo(d.Size()); err != nil {
		return "", err
	}
	return hex.EncodeToString(d.hash.Sum(nil)), nil
}
