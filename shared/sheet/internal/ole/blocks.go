package ole

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/loadbay/loadbay/shared/sheet"
)

const (
	blockSize    = 1 << 20
	cachedBlocks = 8 // reads alternate between sectors and the tables with their order
	unlimited    = math.MaxInt64
)

var errAllowance = errors.New("the directory is too large")

// blockCache reads the file in large blocks and caches some of them: mscfb reads a few bytes at a
// time, and each read must not cause a request to S3.
type blockCache struct {
	ctx  context.Context // context of all reads
	src  sheet.Source
	size int64
	err  error // first error of the source

	allowance int64 // bytes that may still be requested
	cache     [cachedBlocks]block
	useCount  int
}

type block struct {
	number int64
	used   int // clock value of the last use; 0: never
	body   []byte
}

func newBlocks(ctx context.Context, src sheet.Source) *blockCache {
	return &blockCache{ctx: ctx, src: src, size: src.Size(), allowance: unlimited}
}

// ReadAt implements io.ReaderAt.
func (s *blockCache) ReadAt(b []byte, off int64) (int, error) {
	if s.allowance -= int64(len(b)); s.allowance < 0 {
		return 0, errAllowance
	}
	read := 0
	for read < len(b) {
		if off < 0 || off >= s.size {
			return read, io.EOF
		}
		body, err := s.block(off / blockSize)
		if err != nil {
			return read, err
		}
		n := copy(b[read:], body[off%blockSize:])
		read += n
		off += int64(n)
	}
	return read, nil
}

// block returns the block with that number, from the cache or by replacing the least recently used
// one.
func (s *blockCache) block(number int64) ([]byte, error) {
	s.useCount++
	oldest := &s.cache[0]
	for i := range s.cache {
		c := &s.cache[i]
		if c.used > 0 && c.number == number {
			c.used = s.useCount
			return c.body, nil
		}
		if c.used < oldest.used {
			oldest = c
		}
	}
	oldest.used = 0
	if err := s.fetch(oldest, number); err != nil {
		s.err = err
		return nil, err
	}
	oldest.number, oldest.used = number, s.useCount
	return oldest.body, nil
}

func (s *blockCache) fetch(c *block, number int64) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	off := number * blockSize
	n := min(blockSize, s.size-off)
	if int64(cap(c.body)) < n {
		c.body = make([]byte, n)
	}
	c.body = c.body[:n]
	got, err := s.src.ReadAt(c.body, off)
	if int64(got) == n {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at %d: %w", n, off, err)
}
