// Package value parses the cells of any file into values for typed columns: it accepts the ways
// in which people write a number, a date or a boolean, and rejects everything else with a code
// and a sentence that explain why.
//
// Every method of Decoder takes a cell and returns the value and a code of package problem, which
// is empty for a valid value. The methods do not allocate. Numbers, dates and times have the
// forms of PostgreSQL's binary protocol.
//
// A blank cell (see IsBlank) is CELL_REQUIRED in every method but Text: callers decide before
// decoding whether a column may be empty.
package value

import (
	"bytes"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/formula"
)

// Decoder decodes the cells of one file or, if created with For, of one of its columns. It is not
// safe for concurrent use.
type Decoder struct {
	workbook    bool // numbers are binary, and may be dates
	guarded     bool // text that begins like a formula may have an apostrophe in front
	date1904    bool
	order       string // order of day, month and year; "": unknown, or contradictory
	mark        byte   // decimal mark; 0: unknown
	markAssumed bool   // whether the mark is only a convention
	buf         []byte
	digits      []byte
	list        []byte
	zone        *time.Location // zone of times without one; nil is UTC
}

// New returns a decoder for files of the dialect.
func New(d *sheet.Dialect) *Decoder {
	dec := &Decoder{
		workbook: d.Format == sheet.XLSX || d.Format == sheet.XLS,
		guarded:  d.Format != sheet.NDJSON,
		date1904: d.Date1904,
		order:    d.DateOrder,
	}
	if d.DecimalMark != "" {
		dec.mark = d.DecimalMark[0]
	}
	if d.Assumed.TimeZone != "" {
		dec.zone, _ = time.LoadLocation(d.Assumed.TimeZone) // exists: the options were validated
	}
	return dec
}

// For returns a decoder for the cells of one column of the file.
func (d *Decoder) For(l sheet.Locale) *Decoder {
	column := &Decoder{workbook: d.workbook, guarded: d.guarded, date1904: d.date1904, order: d.order, mark: d.mark, zone: d.zone}
	if l.DateOrder.Evidence != "" {
		column.order = l.DateOrder.Value
		if l.DateOrder.Evidence == sheet.Contradictory {
			column.order = contradictory
		}
	}
	if l.DecimalMark.Evidence != "" {
		column.mark, column.markAssumed = 0, l.DecimalMark.Evidence == sheet.Conventional
		if l.DecimalMark.Value != "" {
			column.mark = l.DecimalMark.Value[0]
		}
	}
	return column
}

// IsBlank reports whether the cell is empty or contains only white space.
func IsBlank(c sheet.Cell) bool {
	return c.Kind == sheet.Empty || c.Kind == sheet.Text && len(trimSpace(c.Bytes)) == 0
}

// Text returns the cell as text, unchanged: leading zeros, spaces and long digit strings are
// preserved. A stored number has the same text however a program wrote it: 1001, 1001.0 and
// 1.001E3 are "1001". A Formatted cell is its displayed text. Blank cells are empty texts. In
// formats other than NDJSON, the apostrophe that prevents text from being a formula is removed:
// see formula.Strip.
//
// CELL_ERROR and CELL_FORMULA: the workbook has no value here. CELL_NUL: the text contains a NUL,
// which databases reject. CELL_NESTED: an object or array of NDJSON, which is not text.
// CELL_PRECISION: a long number that lost its last digits in a program.
//
// The text aliases the cell or the decoder: it is valid until the next call.
func (d *Decoder) Text(c sheet.Cell) ([]byte, problem.Code) {
	switch c.Kind {
	case sheet.Empty:
		return nil, ""
	case sheet.ErrorValue:
		return nil, problem.CellError
	case sheet.Formula:
		return nil, problem.CellFormula
	case sheet.JSON:
		return nil, problem.CellNested
	case sheet.Number:
		return d.numberText(c)
	case sheet.Formatted:
		if _, code := d.numberText(c.AsNumber()); code != "" {
			return nil, code
		}
	}
	b := c.DisplayText()
	if bytes.IndexByte(b, 0) >= 0 {
		return nil, problem.CellNUL
	}
	if d.guarded && c.Kind == sheet.Text {
		return formula.Strip(b), ""
	}
	return b, ""
}

// numberText returns a number as text, in the form of Decimal and with all its digits. It has
// leading zeros only if the cell displays them.
func (d *Decoder) numberText(c sheet.Cell) ([]byte, problem.Code) {
	switch {
	case bytes.ContainsAny(c.Bytes, "eE"):
		return d.Decimal(c)
	case bytes.IndexByte(c.Bytes, '.') < 0 && string(c.Bytes) != "-0" && (!d.workbook || len(c.Bytes) < minLossyDigits):
		return c.Bytes, ""
	}
	n, code := d.parse(c.Bytes, '.', false)
	switch {
	case code != "":
		return nil, code
	case d.workbook && n.hasLostDigits(c.Bytes):
		return nil, problem.CellPrecision
	case d.workbook && n.hasBinaryNoise():
		n.round(certainDigits)
	}
	d.buf = n.append(d.buf[:0])
	return d.buf, ""
}

// trimmedText returns the cell's text without surrounding white space.
func (d *Decoder) trimmedText(c sheet.Cell) ([]byte, problem.Code) {
	b, code := d.Text(c)
	if code != "" {
		return nil, code
	}
	if b = trimSpace(b); len(b) == 0 {
		return nil, problem.CellRequired
	}
	return b, ""
}

// trimSpace removes white space from both ends, including typographic spaces.
func trimSpace(b []byte) []byte {
	if len(b) == 0 || isPrintableASCII(b[0]) && isPrintableASCII(b[len(b)-1]) {
		return b
	}
	return bytes.TrimSpace(bytes.Trim(bytes.TrimSpace(b), "\uFEFF\u200B"))
}

// isPrintableASCII reports whether c is a visible ASCII character.
func isPrintableASCII(c byte) bool { return c > ' ' && c < 0x7F }
