package rows

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Value is the parsed value of one field of a row.
type Value struct {
	Field string
	Kind  entity.Kind
	Read  string // cell text as a person sees it
	// Typed is the typed value as a text: numbers with a decimal point, dates as 2006-01-02,
	// times as 2006-01-02T15:04:05Z, and for references the text that is looked up. nil for no value.
	Typed *string
	// Error is the error of the cell, or nil.
	Error *rowwrite.Error
	// Corrected reports whether Read is a correction instead of the file's text.
	Corrected bool
}

// ReadValues parses each mapped field of a row independently. It does not change the batch.
func (d *Decoder) ReadValues(r *sheet.Row) []Value {
	n := d.Batch.Len()
	StartRow(d.Budget, r)
	values := make([]Value, len(d.plan.bindings))
	for i := range d.plan.bindings {
		b := &d.plan.bindings[i]
		d.rowErrs = nil
		d.cell(i, r)
		v := Value{Field: b.def.Name, Kind: b.def.Kind}
		v.Read, v.Corrected = d.originalText(i, r)
		if len(d.rowErrs) > 0 {
			v.Error = &d.rowErrs[0]
		} else {
			v.Typed = d.typedText(b, n)
		}
		values[i] = v
	}
	d.rowErrs = nil
	d.Batch.Discard(n)
	for _, texts := range d.Texts {
		texts.Truncate(min(n, texts.Len()))
	}
	return values
}

// originalText returns the text that a binding has just read, and whether it is a correction.
func (d *Decoder) originalText(i int, r *sheet.Row) (text string, corrected bool) {
	if c, ok := d.correction(&d.plan.bindings[i], r.Number); ok {
		return string(c.DisplayText()), true
	}
	if compose := d.compose[i]; compose != nil {
		return string(compose.Original()), false
	}
	return string(cellAt(r, d.plan.bindings[i].column).DisplayText()), false
}

// epoch is the epoch of Postgres dates.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// typedText returns value i of a field's column as a text.
func (d *Decoder) typedText(b *binding, i int) *string {
	column := &d.Batch.Columns[b.field]
	if texts := d.Texts[b.field]; texts != nil {
		column = texts
	}
	v, ok := column.Bytes(i)
	if !ok {
		return nil
	}
	switch b.def.Kind {
	case entity.Integer:
		return new(strconv.FormatInt(int64(binary.BigEndian.Uint64(v)), 10))
	case entity.Boolean:
		return new(strconv.FormatBool(v[0] != 0))
	case entity.UUID:
		return new(string(appendUUID(nil, v)))
	case entity.Date:
		return new(epoch.AddDate(0, 0, int(int32(binary.BigEndian.Uint32(v)))).Format(time.DateOnly))
	case entity.Timestamp:
		return new(time.UnixMicro(epoch.UnixMicro() + int64(binary.BigEndian.Uint64(v))).UTC().Format(time.RFC3339Nano))
	}
	return new(string(bytes.Clone(v)))
}

// appendUUID appends a UUID in the text form of Postgres.
func appendUUID(b, id []byte) []byte {
	from := 0
	for _, end := range [...]int{4, 6, 8, 10, 16} {
		if from > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, id[from:end])
		from = end
	}
	return b
}
