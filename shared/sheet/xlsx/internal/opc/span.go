package opc

import (
	"context"
	"fmt"
	"io"
)

// blockSize is the size of one read from the file: large enough that the overhead of a request to
// S3 is small, small enough for memory.
const blockSize = 2 << 20

// span reads a run of the file in large blocks. From the second block on, the next one is fetched
// while the current one is processed, to hide the source's latency.
type span struct {
	ctx  context.Context // context of all reads
	src  io.ReaderAt
	off  int64 // offset of the data that was not requested yet
	left int64 // length of that data in bytes
	err  error // error of the source

	block   []byte // rest of the current block
	started bool   // whether a block was read
	spare   []byte // buffer for the next block
	ahead   chan fetched
}

// fetched is the result of a request: a block or an error.
type fetched struct {
	memory []byte // buffer of the block
	body   []byte
	err    error
}

// Read implements io.Reader.
func (s *span) Read(b []byte) (int, error) {
	if len(s.block) == 0 {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, s.block)
	s.block = s.block[n:]
	return n, nil
}

// next advances to the next block.
func (s *span) next() error {
	if s.err != nil {
		return s.err
	}
	if s.err = s.ctx.Err(); s.err != nil {
		return s.err
	}
	if s.ahead == nil {
		s.fetch()
	}
	if s.ahead == nil {
		return io.EOF
	}
	var got fetched
	select {
	case got = <-s.ahead:
		s.err = got.err
	case <-s.ctx.Done():
		s.err = s.ctx.Err()
	}
	s.ahead = nil
	if s.err != nil {
		return s.err
	}
	s.block = got.body
	if s.started {
		s.fetch()
	}
	s.started, s.spare = true, got.memory
	return nil
}

// fetch requests the next block, if there is one. The response is buffered in ahead even if it is
// not used, so that the request need not be stopped.
func (s *span) fetch() {
	n := min(s.left, blockSize)
	if n <= 0 {
		return
	}
	memory := s.spare
	if int64(len(memory)) < n {
		memory = make([]byte, n)
	}
	s.spare = nil
	src, off := s.src, s.off
	s.off += n
	s.left -= n
	ahead := make(chan fetched, 1)
	s.ahead = ahead
	go func() {
		got, err := src.ReadAt(memory[:n], off)
		switch {
		case int64(got) == n:
			err = nil
		case err == nil || err == io.EOF:
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			err = fmt.Errorf("read %d bytes at %d: %w", n, off, err)
		}
		ahead <- fetched{memory: memory, body: memory[:n], err: err}
	}()
}
