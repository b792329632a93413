package changeset

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"
)

// version is the first byte of a part. The rest is one zstd frame:
//
//	count                                       of changes
//	for each change
//	  shape                                     1 + its place among those so far; 0 before a new one:
//	    op, table, count of columns, columns
//	    count of hashed columns, hashed columns if it was created
//	  row, previous row                         each less the one before it
//	  previous job, id, hash if it was created
//	  values before, values after               of each column
//
// Numbers are varints, the hash is eight bytes, a text is its length and its bytes; a
// value is 0 for NULL, else 1 + its length and its bytes; so is an id, but that a UUID is 0 and its 16 bytes:
// that many of nothing but chance are not worth compressing.
const version = 2

// shape is what changes of one kind have in common. It is written once.
type shape struct{ op, table, columns, hashed string }

type encoder struct {
	out          []byte
	shapes       map[shape]uint64
	last         *Change // and the place of its shape
	lastPlace    uint64
	row, prevRow int64
}

// window is how far back zstd looks for what was there before: most of it is memory that has to be cleared for
// each part, and values that are alike are in neighbouring rows, if anywhere.
const window = 128 << 10

// Encode returns the changes as a part, compressed.
func Encode(changes []Change) ([]byte, error) {
	if len(changes) > MaxChanges {
		return nil, fmt.Errorf("change set: %d changes are more than %d", len(changes), MaxChanges)
	}
	e := &encoder{shapes: make(map[shape]uint64)}
	e.out = make([]byte, 0, size(changes))
	e.uint(uint64(len(changes)))
	for i := range changes {
		if err := e.change(&changes[i]); err != nil {
			return nil, fmt.Errorf("change set: change %d: %w", i, err)
		}
		if len(e.out) > MaxBytes {
			return nil, fmt.Errorf("change set: more than %d bytes", MaxBytes)
		}
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(window))
	if err != nil {
		return nil, fmt.Errorf("change set: %w", err)
	}
	return z.EncodeAll(e.out, []byte{version}), nil
}

func (e *encoder) change(c *Change) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := e.shape(c); err != nil {
		return err
	}
	e.int(c.Row - e.row)
	e.int(c.PrevRow - e.prevRow)
	e.row, e.prevRow = c.Row, c.PrevRow
	e.uint(uint64(c.PrevJob))
	e.id(c.ID)
	if c.Op == Created {
		e.out = binary.BigEndian.AppendUint64(e.out, uint64(c.Hash))
	}
	e.values(c.Before)
	e.values(c.After)
	return nil
}

func (e *encoder) shape(c *Change) error {
	if e.last != nil && e.last.Op == c.Op && e.last.Table == c.Table && same(e.last.Columns, c.Columns) && same(e.last.Hashed, c.Hashed) {
		e.uint(e.lastPlace)
		return nil
	}
	e.last = c
	s := shape{string(rune(c.Op)), c.Table, strings.Join(c.Columns, "\x00"), strings.Join(c.Hashed, "\x00")}
	if place, ok := e.shapes[s]; ok {
		e.lastPlace = place
		e.uint(place)
		return nil
	}
	if err := checkNames(c); err != nil {
		return err
	}
	e.uint(0)
	e.lastPlace = uint64(len(e.shapes)) + 1
	e.shapes[s] = e.lastPlace
	e.out = append(e.out, byte(c.Op))
	e.text(c.Table)
	e.names(c.Columns)
	if c.Op == Created {
		e.names(c.Hashed)
	}
	return nil
}

// same reports whether both are one list, as those of most changes that follow each other are.
func same(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (e *encoder) names(names []string) {
	e.uint(uint64(len(names)))
	for _, name := range names {
		e.text(name)
	}
}

func (e *encoder) id(id string) {
	if u, err := uuid.Parse(id); err == nil && u.String() == id { // as Postgres writes it
		e.uint(0)
		e.out = append(e.out, u[:]...)
		return
	}
	e.uint(uint64(len(id)) + 1)
	e.out = append(e.out, id...)
}

func (e *encoder) values(values []*string) {
	for _, v := range values {
		if v == nil {
			e.uint(0)
			continue
		}
		e.uint(uint64(len(*v)) + 1)
		e.out = append(e.out, *v...)
	}
}

func (e *encoder) uint(v uint64) { e.out = binary.AppendUvarint(e.out, v) }
func (e *encoder) int(v int64)   { e.out = binary.AppendVarint(e.out, v) }

func (e *encoder) text(s string) {
	e.uint(uint64(len(s)))
	e.out = append(e.out, s...)
}
