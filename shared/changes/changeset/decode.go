package changeset

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"
)

// decoder reads a part. After the first error it returns zeros and keeps the error.
type decoder struct {
	input        []byte
	shapes       []Change // with Op, Table, Columns and Hashed
	row, prevRow int64
	err          error
}

// errTruncated reports a part that ends early, or a length that exceeds the rest.
var errTruncated = errors.New("it is truncated")

// Decode returns the changes of a part. It returns an error for input that Encode cannot have
// written.
func Decode(part []byte) ([]Change, error) {
	changes, err := decodePart(part)
	if err != nil {
		return nil, fmt.Errorf("change set: %w", err)
	}
	return changes, nil
}

func decodePart(part []byte) ([]Change, error) {
	if len(part) == 0 || part[0] != version {
		return nil, errors.New("its version is unknown")
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxBytes))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	d := &decoder{}
	if d.input, err = z.DecodeAll(part[1:], nil); err != nil {
		return nil, err
	}
	count := d.uint(MaxChanges)
	changes := make([]Change, 0, min(count, uint64(len(d.input))))
	for range count {
		c := d.change()
		if d.err == nil {
			d.err = c.validate()
		}
		if d.err != nil {
			return nil, fmt.Errorf("change %d: %w", len(changes), d.err)
		}
		changes = append(changes, c)
	}
	if d.err == nil && len(d.input) > 0 {
		d.err = errors.New("unexpected data after the last change")
	}
	return changes, d.err
}

func (d *decoder) change() Change {
	c := d.shape()
	d.row += d.int()
	d.prevRow += d.int()
	c.Row, c.PrevRow = d.row, d.prevRow
	c.PrevJob = int64(d.uint(1<<63 - 1))
	c.ID = d.id()
	switch n := len(c.Columns); c.Op {
	case Created:
		if hash := d.bytes(8); hash != nil {
			c.Hash = int64(binary.BigEndian.Uint64(hash))
		}
		c.After = d.values(n)
	case Deleted:
		c.Before = d.values(n)
	default:
		c.Before, c.After = d.values(n), d.values(n)
	}
	return c
}

func (d *decoder) id() string {
	if n := d.uint(MaxBytes); n > 0 || d.err != nil {
		return string(d.bytes(n - 1))
	}
	var u uuid.UUID
	copy(u[:], d.bytes(uint64(len(u))))
	return u.String()
}

func (d *decoder) shape() Change {
	place := d.uint(uint64(len(d.shapes)))
	if d.err != nil {
		return Change{}
	}
	if place > 0 {
		return d.shapes[place-1]
	}
	var s Change
	if op := d.bytes(1); op != nil {
		s.Op = Op(op[0])
	}
	s.Table = string(d.bytes(d.uint(maxTableBytes)))
	s.Columns = d.names()
	if s.Op == Created {
		s.Hashed = d.names()
	}
	if d.err == nil {
		d.err = validateNames(&s)
	}
	d.shapes = append(d.shapes, s)
	return s
}

func (d *decoder) names() (names []string) {
	for range d.uint(MaxColumns) {
		names = append(names, string(d.bytes(d.uint(MaxNameBytes))))
	}
	return names
}

func (d *decoder) values(n int) []*string {
	if n == 0 || d.err != nil {
		return nil
	}
	values, texts := make([]*string, n), make([]string, n)
	for i := range values {
		if size := d.uint(MaxBytes); size > 0 {
			texts[i] = string(d.bytes(size - 1))
			values[i] = &texts[i]
		}
	}
	return values
}

// uint reads a number. A number above most is an error.
func (d *decoder) uint(most uint64) uint64 {
	v, n := binary.Uvarint(d.input)
	switch {
	case d.err != nil:
		return 0
	case n <= 0:
		d.err = errTruncated
		return 0
	case v > most:
		d.err = fmt.Errorf("%d is more than %d", v, most)
		return 0
	}
	d.input = d.input[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.input)
	if d.err == nil && n <= 0 {
		d.err = errTruncated
	}
	if d.err != nil {
		return 0
	}
	d.input = d.input[n:]
	return v
}

// bytes reads n bytes; nil if n is 0 or fewer bytes are left.
func (d *decoder) bytes(n uint64) []byte {
	if d.err == nil && n > uint64(len(d.input)) {
		d.err = errTruncated
	}
	if d.err != nil || n == 0 {
		return nil
	}
	b := d.input[:n]
	d.input = d.input[n:]
	return b
}
