package changeset

import (
	"encoding/binary"
	"fmt"
	"strings"

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
// value is 0 for NULL, else 1 + its length and its bytes.
const version = 1

// shape is what changes of one kind have in common. It is written once.
type shape struct{ op, table, columns, hashed string }

type encoder struct {
	out          []byte
	shapes       map[shape]uint64
	row, prevRow int64
}

// Encode returns the changes as a part, compressed.
func Encode(changes []Change) ([]byte, error) {
	if len(changes) > MaxChanges {
		return nil, fmt.Errorf("change set: %d changes are more than %d", len(changes), MaxChanges)
	}
	e := &encoder{shapes: make(map[shape]uint64)}
	e.uint(uint64(len(changes)))
	for i := range changes {
		if err := changes[i].check(); err != nil {
			return nil, fmt.Errorf("change set: change %d: %w", i, err)
		}
		if e.change(&changes[i]); len(e.out) > MaxBytes {
			return nil, fmt.Errorf("change set: more than %d bytes", MaxBytes)
		}
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, fmt.Errorf("change set: %w", err)
	}
	return z.EncodeAll(e.out, []byte{version}), nil
}

func (e *encoder) change(c *Change) {
	e.shape(c)
	e.int(c.Row - e.row)
	e.int(c.PrevRow - e.prevRow)
	e.row, e.prevRow = c.Row, c.PrevRow
	e.uint(uint64(c.PrevJob))
	e.text(c.ID)
	if c.Op == Created {
		e.out = binary.BigEndian.AppendUint64(e.out, uint64(c.Hash))
	}
	e.values(c.Before)
	e.values(c.After)
}

func (e *encoder) shape(c *Change) {
	s := shape{string(rune(c.Op)), c.Table, strings.Join(c.Columns, "\x00"), strings.Join(c.Hashed, "\x00")}
	if place, ok := e.shapes[s]; ok {
		e.uint(place)
		return
	}
	e.uint(0)
	e.shapes[s] = uint64(len(e.shapes)) + 1
	e.out = append(e.out, byte(c.Op))
	e.text(c.Table)
	e.names(c.Columns)
	if c.Op == Created {
		e.names(c.Hashed)
	}
}

func (e *encoder) names(names []string) {
	e.uint(uint64(len(names)))
	for _, name := range names {
		e.text(name)
	}
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
