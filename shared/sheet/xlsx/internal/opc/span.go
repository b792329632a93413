package opc

import (
	"context"
	"fmt"
	"io"
)

// blockSize is how much of the file is read at a time: large enough that a
// request to S3 costs less than what it brings, small enough to hold.
const blockSize = 2 << 20

// span reads a run of the file in large blocks. Once a second block is wanted,
// the next one is fetched while the one before it is worked on, so that the
// source's latency is not waited for.
type span struct {
	ctx  context.Context // of the whole reading
	src  io.ReaderAt
	off  int64 // of what has not been asked for
	left int64 // bytes of that
	err  error // of the source

	block   []byte // what is left of the block that is worked on
	started bool   // a block has been read
	spare   []byte // memory for the next one
	ahead   chan fetched
}

// fetched is a requested block, or the error.
type fetched struct {
	memory []byte // its buffer
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

// next goes to the next block.
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

// fetch asks for the next block, if there is one. The response waits in ahead,
// wanted or not, so that nobody has to stop the request.
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
