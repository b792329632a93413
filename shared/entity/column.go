package entity

import (
	"bytes"
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgtype"
)

// arrayHeader is the size of a one-dimensional array's header in Postgres's
// binary format: dimensions, null flag, element type, length, lower bound.
const arrayHeader = 20

// Column holds the values of one field for all rows of a batch, in the format in which
// Postgres receives arrays. The bytes of a cell are copied once, from the file's buffer into
// the column, and values are never boxed.
type Column struct {
	kind  Kind
	buf   []byte   // header, then for each value its length (-1 for NULL) and bytes
	ends  []uint32 // end of each value in buf
	nulls int
}

// DecimalsOf returns the number of decimals of a number in decimal notation, without zeros at its end.
func DecimalsOf(number []byte) int {
	_, fraction, _ := bytes.Cut(number, []byte("."))
	return len(bytes.TrimRight(fraction, "0"))
}

// NewColumn returns an empty column of the kind with capacity for n values.
func NewColumn(kind Kind, n int) Column {
	return newColumn(kind, n, kind.estimatedSize())
}

// newColumn is NewColumn with capacity for values of room bytes each.
func newColumn(kind Kind, n, room int) Column {
	return Column{kind: kind, buf: make([]byte, arrayHeader, arrayHeader+n*(lengthBytes+room)), ends: make([]uint32, 0, n)}
}

// lengthBytes is the size of the length before each value. NULL consists only of a length.
const lengthBytes = 4

// estimatedSize returns the size of a value of the kind in bytes; for texts, the usual size.
func (k Kind) estimatedSize() int {
	switch k {
	case UUID:
		return 16
	case Integer, Reference, Timestamp:
		return 8
	case Date:
		return 4
	case Boolean:
		return 1
	case Enum:
		return 12
	default:
		return 28
	}
}

// Kind returns the kind of the values.
func (c *Column) Kind() Kind { return c.kind }

// Len returns the number of values.
func (c *Column) Len() int { return len(c.ends) }

// AppendNull adds a NULL.
func (c *Column) AppendNull() {
	c.buf = binary.BigEndian.AppendUint32(c.buf, ^uint32(0))
	c.ends = append(c.ends, uint32(len(c.buf)))
	c.nulls++
}

// AppendText adds a value of a text kind.
func (c *Column) AppendText(v []byte) {
	c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(len(v)))
	c.buf = append(c.buf, v...)
	c.ends = append(c.ends, uint32(len(c.buf)))
}

// AppendInt64 adds an Integer, a Reference, or a Timestamp in microseconds
// since 2000-01-01 UTC.
func (c *Column) AppendInt64(v int64) {
	c.buf = binary.BigEndian.AppendUint32(c.buf, 8)
	c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(v))
	c.ends = append(c.ends, uint32(len(c.buf)))
}

// AppendDate adds a Date in days since 2000-01-01.
func (c *Column) AppendDate(days int32) {
	c.buf = binary.BigEndian.AppendUint32(c.buf, 4)
	c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(days))
	c.ends = append(c.ends, uint32(len(c.buf)))
}

// AppendBool adds a Boolean.
func (c *Column) AppendBool(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	c.buf = append(binary.BigEndian.AppendUint32(c.buf, 1), b)
	c.ends = append(c.ends, uint32(len(c.buf)))
}

// AppendUUID adds a UUID.
func (c *Column) AppendUUID(v [16]byte) {
	c.buf = binary.BigEndian.AppendUint32(c.buf, 16)
	c.buf = append(c.buf, v[:]...)
	c.ends = append(c.ends, uint32(len(c.buf)))
}

// Bytes returns value i in Postgres's binary format, which is the text itself for the text
// kinds; false for NULL. The bytes are valid until the next change of the column.
func (c *Column) Bytes(i int) ([]byte, bool) {
	start := uint32(arrayHeader)
	if i > 0 {
		start = c.ends[i-1]
	}
	if int32(binary.BigEndian.Uint32(c.buf[start:])) < 0 {
		return nil, false
	}
	return c.buf[start+4 : c.ends[i]], true
}

// String returns value i of a text kind, or "".
func (c *Column) String(i int) string {
	v, _ := c.Bytes(i)
	return string(v)
}

// Int64 returns value i of an Integer or Reference; false for NULL.
func (c *Column) Int64(i int) (int64, bool) {
	v, ok := c.Bytes(i)
	if !ok {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(v)), true
}

// Date returns value i of a Date in days since 2000-01-01; ok is false for NULL.
func (c *Column) Date(i int) (days int32, ok bool) {
	v, ok := c.Bytes(i)
	if !ok {
		return 0, false
	}
	return int32(binary.BigEndian.Uint32(v)), true
}

// Truncate drops the values from n on.
func (c *Column) Truncate(n int) {
	for i := n; i < len(c.ends); i++ {
		if _, ok := c.Bytes(i); !ok {
			c.nulls--
		}
	}
	end := uint32(arrayHeader)
	if n > 0 {
		end = c.ends[n-1]
	}
	c.buf, c.ends = c.buf[:end], c.ends[:n]
}

// Pick returns a column of the values at the indexes in places.
func (c *Column) Pick(places []int) Column {
	out := NewColumn(c.kind, len(places))
	for _, i := range places {
		if v, ok := c.Bytes(i); ok {
			out.AppendText(v)
		} else {
			out.AppendNull()
		}
	}
	return out
}

// arrayValue completes the header and returns the column in the format in which Postgres
// receives it. It shares the column's memory.
func (c *Column) arrayValue() []byte {
	h := c.buf[:arrayHeader]
	binary.BigEndian.PutUint32(h[0:], 1)
	binary.BigEndian.PutUint32(h[4:], uint32(min(c.nulls, 1)))
	binary.BigEndian.PutUint32(h[8:], c.kind.elementOID())
	binary.BigEndian.PutUint32(h[12:], uint32(len(c.ends)))
	binary.BigEndian.PutUint32(h[16:], 1)
	return c.buf
}

func (k Kind) elementOID() uint32 {
	switch k {
	case UUID:
		return pgtype.UUIDOID
	case Integer, Reference:
		return pgtype.Int8OID
	case Boolean:
		return pgtype.BoolOID
	case Date:
		return pgtype.DateOID
	case Timestamp:
		return pgtype.TimestamptzOID
	default:
		return pgtype.TextOID
	}
}

// ArrayType returns the SQL name of the array type for values of the kind.
func (k Kind) ArrayType() string {
	switch k {
	case UUID:
		return "uuid[]"
	case Integer, Reference:
		return "int8[]"
	case Boolean:
		return "bool[]"
	case Date:
		return "date[]"
	case Timestamp:
		return "timestamptz[]"
	default:
		return "text[]"
	}
}

func (k Kind) arrayOID() uint32 {
	switch k {
	case UUID:
		return pgtype.UUIDArrayOID
	case Integer, Reference:
		return pgtype.Int8ArrayOID
	case Boolean:
		return pgtype.BoolArrayOID
	case Date:
		return pgtype.DateArrayOID
	case Timestamp:
		return pgtype.TimestamptzArrayOID
	default:
		return pgtype.TextArrayOID
	}
}
