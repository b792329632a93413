// Package value turns the cells of any file into values for typed columns: it
// knows what people write for a number, a day, a yes, and it refuses what cannot
// be reported, with the code and the sentence that say why.
//
// Every method of Decoder takes a cell and returns the value and a code of
// package problem, which is empty for a good value. Nothing is allocated on the
// way. Numbers, days and times come in the forms of PostgreSQL's binary protocol.
//
// A cell that is blank (see Blank) is CELL_REQUIRED to every decoder but Text:
// whether a column may be empty is for its owner to say, before decoding.
package value

import (
	"bytes"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Decoder decodes the cells of one file, or with For those of one of its columns.
// It is not safe for concurrent use.
type Decoder struct {
	workbook    bool // numbers are binary, and may be days
	guarded     bool // text that begins like a formula may stand behind an apostrophe
	date1904    bool
	order       string // of day, month and year; "": unknown, or contradictory
	mark        byte   // before decimals; 0: unknown
	markAssumed bool   // whether the mark is only a convention
	buf         []byte
	digits      []byte
	list        []byte
	zone        *time.Location // of times without one; nil is UTC
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
		dec.zone, _ = time.LoadLocation(d.Assumed.TimeZone) // known: the options were checked
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

// IsBlank reports whether the cell holds nothing: it is empty, or only white space.
func IsBlank(c sheet.Cell) bool {
	return c.Kind == sheet.Empty || c.Kind == sheet.Text && len(trimSpace(c.Bytes)) == 0
}

// Text is the cell as text, exactly as it was written: leading zeros, spaces and
// long digit strings are kept. A number that the file holds as one is the same
// text however a program wrote it: 1001, 1001.0 and 1.001E3 are "1001". One that
// its format shows otherwise is what a person sees. Blank cells are empty texts. In files of cells, the apostrophe that keeps text from
// being taken for a formula is no part of it: see unguard.
//
// CELL_ERROR and CELL_FORMULA: the workbook has no value here. CELL_NUL: the text
// holds a NUL, which databases refuse. CELL_NESTED: an object or array of NDJSON,
// which is no text. CELL_PRECISION: a long number that lost its last digits before
// it came here.
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
		return stripGuard(b), ""
	}
	return b, ""
}

// numberText is a number as text, in the form of Decimal and with all its
// digits. Zeros in front are only there where the cell shows them.
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

// stripGuard takes one apostrophe off text that begins with apostrophes and then a
// character with which spreadsheets let formulas begin. People write '+27 82 …
// for that, and exports do for any such text, also one that has apostrophes
// already: so what was exported comes back exactly.
func stripGuard(b []byte) []byte {
	if len(b) < 2 || b[0] != '\'' {
		return b
	}
	rest := bytes.TrimLeft(b, "'")
	if len(rest) > 0 && bytes.IndexByte([]byte("=+-@\t\r"), rest[0]) >= 0 {
		return b[1:]
	}
	return b
}

// trimmedText is the cell's text without white space around it.
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

// trimSpace cuts white space off both ends, that of typographers included.
func trimSpace(b []byte) []byte {
	if len(b) == 0 || isPrintableASCII(b[0]) && isPrintableASCII(b[len(b)-1]) {
		return b
	}
	return bytes.TrimSpace(bytes.Trim(bytes.TrimSpace(b), "\uFEFF\u200B"))
}

// isPrintableASCII reports whether c is an ASCII character that shows.
func isPrintableASCII(c byte) bool { return c > ' ' && c < 0x7F }
