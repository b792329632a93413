package sheet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// errCorruptPack reports bytes that are not a complete pack.
var errCorruptPack = errors.New("pack is damaged")

// packReader reads a pack. Its cells alias the pack's bytes.
type packReader struct {
	rest   []byte
	chunk  Chunk
	row    Row
	counts Counts
	err    error
}

// NewPackReader reads the rows of a pack, which is the body of chunk c. Damage is an error of the
// source (not a *problem.Error): the file itself was read successfully before, so fetching
// the pack again may help.
func NewPackReader(body []byte, c Chunk) (Rows, error) {
	rows, ok := bytes.CutPrefix(body, []byte(packMagic))
	if !ok {
		return nil, fmt.Errorf("open chunk %d: %w", c.Index, errCorruptPack)
	}
	return &packReader{rest: rows, chunk: c}, nil
}

func (p *packReader) Next() bool {
	if p.err != nil || len(p.rest) == 0 {
		return p.end()
	}
	if !p.readRow() {
		p.err = fmt.Errorf("read chunk %d after row %d: %w", p.chunk.Index, p.row.Number, errCorruptPack)
		return false
	}
	p.counts.Rows++
	return true
}

// end counts the blank rows once everything has been read.
func (p *packReader) end() bool {
	if p.err == nil && p.counts.Rows != int64(p.chunk.Rows) {
		p.err = fmt.Errorf("read chunk %d: got %d rows, want %d: %w", p.chunk.Index, p.counts.Rows, p.chunk.Rows, errCorruptPack)
	}
	if p.err == nil {
		p.counts.Lines = max(int64(p.chunk.Lines), p.counts.Rows)
		p.counts.Blank = p.counts.Lines - p.counts.Rows
	}
	return false
}

func (p *packReader) readRow() bool {
	step, ok := p.uvarint()
	if !ok {
		return false
	}
	head, ok := p.uvarint()
	if !ok {
		return false
	}
	p.row.Number += int64(step)
	p.row.ErrorCode = ""
	if head&1 == 1 {
		code, ok := p.field()
		if !ok {
			return false
		}
		p.row.ErrorCode = string(code)
	}
	return p.readCells(head >> 1)
}

// readCells reads n cells. Each takes at least one byte, so a count above the remaining length is
// detected as damage before memory is allocated.
func (p *packReader) readCells(n uint64) bool {
	if n > uint64(len(p.rest)) {
		return false
	}
	p.row.Cells = p.row.Cells[:0]
	for range n {
		head, ok := p.uvarint()
		if !ok {
			return false
		}
		kind := Kind(head & (1<<kindBits - 1))
		b, ok := p.readBytes(head >> kindBits)
		if !ok || kind > Formatted {
			return false
		}
		p.row.Cells = append(p.row.Cells, Cell{Kind: kind, Bytes: b})
	}
	return true
}

// field reads a length and that many bytes.
func (p *packReader) field() ([]byte, bool) {
	n, ok := p.uvarint()
	if !ok {
		return nil, false
	}
	return p.readBytes(n)
}

func (p *packReader) readBytes(n uint64) ([]byte, bool) {
	if n > uint64(len(p.rest)) {
		return nil, false
	}
	b := p.rest[:n:n]
	p.rest = p.rest[n:]
	return b, true
}

func (p *packReader) uvarint() (uint64, bool) {
	if len(p.rest) > 0 && p.rest[0] < 0x80 { // the usual case
		v := uint64(p.rest[0])
		p.rest = p.rest[1:]
		return v, true
	}
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		return 0, false
	}
	p.rest = p.rest[n:]
	return v, true
}

func (p *packReader) Row() *Row      { return &p.row }
func (p *packReader) Err() error     { return p.err }
func (p *packReader) Counts() Counts { return p.counts }
func (p *packReader) Close() error   { return nil }
