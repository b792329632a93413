package opc

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/loadbay/loadbay/shared/problem"
)

// blockSize is how much of the file is read at a time: large enough that a
// request to S3 costs less than what it brings, small enough to hold.
const blockSize = 2 << 20

// Part is the content of one part, read from its start to its end. At the end
// its length and checksum must be those of the directory.
type Part struct {
	pkg  *Package
	e    entry
	rng  *span
	body io.Reader
	crc  uint32
	n    int64
	err  error
}

// Part opens a part for reading. One that is missing is FILE_CORRUPT.
func (p *Package) Part(name string) (*Part, error) {
	e, found := p.parts[canonical(name)]
	if !found {
		return nil, problem.New(problem.FileCorrupt, "The workbook is damaged: it has no part %.100q.", name)
	}
	if e.flags&flagEncrypted != 0 {
		return nil, problem.New(problem.FileEncrypted, "The workbook is encrypted. Remove its password and try again.")
	}
	if e.method != methodStored && e.method != methodDeflate {
		return nil, problem.New(problem.UnsupportedFormat, "The workbook is compressed in a way that is not supported.")
	}
	if e.size > p.allowance-p.inflated.Load() {
		return nil, tooCompressed()
	}
	// The local header's extra fields are of unknown length: header adds it.
	length := lenLocal + int64(len(e.name)) + e.packed
	part := &Part{pkg: p, e: e, rng: &span{pkg: p, off: e.offset, left: length}}
	buffered := bufio.NewReaderSize(part.rng, int(min(blockSize, length)))
	if err := part.header(buffered); err != nil {
		return nil, err
	}
	return part, nil
}

// header passes over the part's local header, which must be of that part.
func (p *Part) header(r *bufio.Reader) error {
	head, err := r.Peek(lenLocal)
	if err != nil {
		return p.fault(err)
	}
	if binary.LittleEndian.Uint32(head) != sigLocal {
		return corrupt("a part is not where it should be")
	}
	nameLen := int(binary.LittleEndian.Uint16(head[26:]))
	extraLen := int(binary.LittleEndian.Uint16(head[28:]))
	p.rng.left += int64(extraLen)
	name := make([]byte, lenLocal+nameLen)
	if _, err := io.ReadFull(r, name); err != nil {
		return p.fault(err)
	}
	if string(name[lenLocal:]) != p.e.name {
		return corrupt("a part is not where it should be")
	}
	if _, err := r.Discard(extraLen); err != nil {
		return p.fault(err)
	}
	if p.e.method == methodStored {
		p.body = r
		return nil
	}
	p.body = flate.NewReader(r)
	return nil
}

// Read inflates the part.
func (p *Part) Read(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.body.Read(b)
	p.n += int64(n)
	p.crc = crc32.Update(p.crc, crc32.IEEETable, b[:n])
	switch {
	case p.pkg.inflated.Add(int64(n)) > p.pkg.allowance:
		p.err = tooCompressed()
	case p.n > p.e.size:
		p.err = corrupt("a part is larger than it says")
	case err == io.EOF && p.n != p.e.size:
		p.err = corrupt("a part is smaller than it says")
	case err == io.EOF && p.crc != p.e.crc:
		p.err = corrupt("a part's checksum is wrong")
	case err != nil:
		p.err = p.fault(err)
	}
	if p.err != nil && p.err != io.EOF {
		n = 0
	}
	return n, p.err
}

// fault tells the source's errors from those of the file.
func (p *Part) fault(err error) error {
	switch {
	case err == io.EOF:
		return err
	case p.rng.err != nil:
		return p.rng.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return corrupt("a part ends too early")
	}
	return problem.Because(err, problem.FileCorrupt, "The workbook is damaged: a part cannot be decompressed.")
}

func tooCompressed() error {
	return problem.New(problem.FileTooCompressed, "The workbook is too large when decompressed.")
}

// span reads a run of the file's bytes, as they are asked for.
type span struct {
	pkg  *Package
	off  int64
	left int64
	err  error // of the source
}

func (s *span) Read(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.left <= 0 {
		return 0, io.EOF
	}
	if s.err = s.pkg.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	want := b[:min(int64(len(b)), s.left)]
	n, err := s.pkg.src.ReadAt(want, s.off)
	if n < len(want) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		s.err = fmt.Errorf("read %d bytes at %d: %w", len(want), s.off, err)
		return n, s.err
	}
	s.off += int64(n)
	s.left -= int64(n)
	return n, nil
}
