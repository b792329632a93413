package changeset

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"
)

// version is the first byte of a part. The rest is one zstd frame:
//
//	count                                       of changes
//	for each change
//	  shape                                     1 + index of a previous shape; 0 before a new one:
//	    op, table, count of columns, columns
//	    count of hashed columns, hashed columns if it was created
//	  row, previous row                         each as the difference to the previous change
//	  previous job, id, hash if it was created
//	  values before, values after               of each column
//
// Numbers are varints, the hash has eight bytes, a text is its length and its bytes. A value is 0
// for NULL, else 1 + its length and its bytes. An id is encoded like a value, except that a UUID
// is 0 and its 16 bytes, because random bytes cannot be compressed.
const version = 2

// shape is the part that changes of the same kind share. It is written once.
type shape struct{ op, table, columns, hashed string }

// partEncoder builds a part before compression.
type partEncoder struct {
	out          []byte
	shapes       map[shape]uint64
	last         *Change // and the index of its shape
	lastShape    uint64
	row, prevRow int64
}

// window is the size of the zstd window. A larger window costs memory that has to be cleared for
// each part, and equal values occur mostly in neighbouring rows.
const window = 128 << 10

// Encoder encodes changes into parts. The zero value is ready to use. It is safe for concurrent
// use and reuses the memory of the compressor.
type Encoder struct {
	once sync.Once
	zip  *zstd.Encoder
	err  error
}

// Encode returns the changes as a compressed part.
func (c *Encoder) Encode(changes []Change) ([]byte, error) {
	if len(changes) > MaxChanges {
		return nil, fmt.Errorf("change set: %d changes are more than %d", len(changes), MaxChanges)
	}
	p := &partEncoder{shapes: make(map[shape]uint64)}
	p.out = make([]byte, 0, encodedSize(changes))
	p.uint(uint64(len(changes)))
	for i := range changes {
		if err := p.change(&changes[i]); err != nil {
			return nil, fmt.Errorf("change set: change %d: %w", i, err)
		}
		if len(p.out) > MaxBytes {
			return nil, fmt.Errorf("change set: more than %d bytes", MaxBytes)
		}
	}
	c.once.Do(c.initZip)
	if c.err != nil {
		return nil, c.err
	}
	part := make([]byte, 1, 1+c.zip.MaxEncodedSize(len(p.out)))
	part[0] = version
	return c.zip.EncodeAll(p.out, part), nil
}

func (c *Encoder) initZip() {
	c.zip, c.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if c.err != nil {
		c.err = fmt.Errorf("change set: %w", c.err)
	}
}

func (p *partEncoder) change(c *Change) error {
	if err := c.validate(); err != nil {
		return err
	}
	if err := p.shape(c); err != nil {
		return err
	}
	p.int(c.Row - p.row)
	p.int(c.PrevRow - p.prevRow)
	p.row, p.prevRow = c.Row, c.PrevRow
	p.uint(uint64(c.PrevJob))
	p.id(c.ID)
	if c.Op == Created {
		p.out = binary.BigEndian.AppendUint64(p.out, uint64(c.Hash))
	}
	p.values(c.Before)
	p.values(c.After)
	return nil
}

func (p *partEncoder) shape(c *Change) error {
	if p.last != nil && p.last.Op == c.Op && p.last.Table == c.Table && sameList(p.last.Columns, c.Columns) && sameList(p.last.Hashed, c.Hashed) {
		p.uint(p.lastShape)
		return nil
	}
	p.last = c
	s := shape{string(rune(c.Op)), c.Table, strings.Join(c.Columns, "\x00"), strings.Join(c.Hashed, "\x00")}
	if place, ok := p.shapes[s]; ok {
		p.lastShape = place
		p.uint(place)
		return nil
	}
	if err := validateNames(c); err != nil {
		return err
	}
	p.uint(0)
	p.lastShape = uint64(len(p.shapes)) + 1
	p.shapes[s] = p.lastShape
	p.out = append(p.out, byte(c.Op))
	p.text(c.Table)
	p.names(c.Columns)
	if c.Op == Created {
		p.names(c.Hashed)
	}
	return nil
}

// sameList reports whether a and b are the same slice, as is usual for consecutive changes.
func sameList(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (p *partEncoder) names(names []string) {
	p.uint(uint64(len(names)))
	for _, name := range names {
		p.text(name)
	}
}

// uuidLength is the length of a UUID in its canonical form, with four hyphens and no braces.
const uuidLength = 36

func (p *partEncoder) id(id string) {
	if len(id) == uuidLength && !hasUpper(id) { // the format of Postgres
		if u, err := uuid.Parse(id); err == nil {
			p.uint(0)
			p.out = append(p.out, u[:]...)
			return
		}
	}
	p.uint(uint64(len(id)) + 1)
	p.out = append(p.out, id...)
}

func hasUpper(s string) bool {
	for i := range len(s) {
		if s[i]-'A' <= 'Z'-'A' { // one predictable comparison; checking for a letter would not be predictable
			return true
		}
	}
	return false
}

func (p *partEncoder) values(values []*string) {
	for _, v := range values {
		if v == nil {
			p.uint(0)
			continue
		}
		p.uint(uint64(len(*v)) + 1)
		p.out = append(p.out, *v...)
	}
}

func (p *partEncoder) uint(v uint64) { p.out = binary.AppendUvarint(p.out, v) }
func (p *partEncoder) int(v int64)   { p.out = binary.AppendVarint(p.out, v) }

func (p *partEncoder) text(s string) {
	p.uint(uint64(len(s)))
	p.out = append(p.out, s...)
}
