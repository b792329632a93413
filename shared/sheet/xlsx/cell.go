package xlsx

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// cellKind is the type attribute of a cell (ECMA-376-1, 18.18.11).
type cellKind uint8

const (
	numeric cellKind = iota
	shared
	inline
	formulaText
	boolean
	errorValue
	isoDate
)

// readCell reads the current cell to its end and adds it to the row.
func (r *rowReader) readCell() error {
	h, err := r.head()
	if err != nil {
		return err
	}
	var c sheet.Cell
	formula, cached := false, false
	if text, ok := r.x.SkipEnclosed("<v>", "</v>", r.cellBytes); ok {
		c, err = r.value(text, h.kind, h.format)
		cached = h.kind.cached(text)
	}
	for err == nil {
		var tok xmlpull.Token
		if tok, err = r.x.Next(); err != nil || tok == xmlpull.End {
			break
		}
		switch string(r.x.Local()) {
		case "v":
			c, cached, err = r.readValue(h.kind, h.format)
		case "is":
			c, err = r.readInline()
			cached = true
		case "f":
			formula = true
			err = r.x.Skip()
		default:
			err = r.x.Skip()
		}
	}
	if err != nil {
		return err
	}
	if formula && !cached && c.Kind == sheet.Empty {
		c.Kind = sheet.Formula
	}
	return r.place(h, c)
}

func (r *rowReader) place(h cellHead, c sheet.Cell) error {
	r.column = h.column
	return r.build.SetCell(h.column, c)
}

// cellHead contains the attributes of a cell.
type cellHead struct {
	column int
	kind   cellKind
	format book.Style
}

// head parses the attributes of the current cell.
func (r *rowReader) head() (cellHead, error) {
	h := cellHead{column: r.column + 1}
	attrs := r.x.Attrs()
	for i := range attrs {
		a := &attrs[i]
		if len(a.Prefix) > 0 || len(a.Local) != 1 {
			continue
		}
		if !r.attribute(&h, a.Local[0], a.Value) {
			return h, corruptError("row %d contains a cell with the reference of another row", r.number)
		}
	}
	return h, nil
}

// attribute parses one attribute and ignores irrelevant ones. It returns false if the cell does not
// belong to the row.
func (r *rowReader) attribute(h *cellHead, name byte, value []byte) (ok bool) {
	switch name {
	case 'r':
		h.column, ok = parseRef(value, r.digits)
		return ok
	case 's':
		h.format = r.format(value)
	case 't':
		h.kind = parseKind(value)
	}
	return true
}

func parseKind(t []byte) cellKind {
	switch string(t) {
	case "s":
		return shared
	case "inlineStr":
		return inline
	case "str":
		return formulaText
	case "b":
		return boolean
	case "e":
		return errorValue
	case "d":
		return isoDate
	}
	return numeric
}

// format returns the style with that number; an unknown style has no effect.
func (r *rowReader) format(style []byte) book.Style {
	i, ok := parseIndex(style)
	if !ok || i >= len(r.formats) {
		return book.Style{}
	}
	return r.formats[i]
}

// parseIndex parses a number from 0 to some billion.
func parseIndex(b []byte) (int, bool) {
	if len(b) == 0 || len(b) > 10 {
		return 0, false
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// cached reports whether the text of a v element is the value of a formula, which may be an empty
// text; other types need at least one character.
func (t cellKind) cached(text []byte) bool {
	return t == formulaText || t == inline || len(text) > 0
}

// readValue reads the current v element to its end, and reports whether it contains a value.
func (r *rowReader) readValue(t cellKind, format book.Style) (c sheet.Cell, cached bool, err error) {
	text, err := r.x.Text(r.cellBytes)
	if err != nil {
		return sheet.Cell{}, false, err
	}
	if len(text) > r.cellBytes { // the row's error, whatever its end would be
		return r.copyCell(sheet.Text, string(text)), true, r.x.Skip()
	}
	cached = t.cached(text)
	if c, err = r.value(text, t, format); err != nil {
		return c, false, err
	}
	return c, cached, r.x.Skip()
}

// value converts the text of a v element into a cell of that type.
func (r *rowReader) value(text []byte, t cellKind, format book.Style) (sheet.Cell, error) {
	if len(text) == 0 {
		return sheet.Cell{}, nil
	}
	start := len(r.build.Text)
	switch t {
	case shared:
		return r.sharedString(bytes.TrimSpace(text))
	case inline, formulaText:
		r.build.Text = appendDecoded(r.build.Text, text)
		return r.build.Cell(sheet.Text, start), nil
	case errorValue:
		r.build.Text = append(r.build.Text, bytes.TrimSpace(text)...)
		return r.build.Cell(sheet.ErrorValue, start), nil
	case boolean:
		return r.boolean(bytes.TrimSpace(text)), nil
	case isoDate:
		return r.isoDate(bytes.TrimSpace(text)), nil
	}
	return r.numeric(bytes.TrimSpace(text), format), nil
}

func (r *rowReader) sharedString(text []byte) (sheet.Cell, error) {
	i, ok := parseIndex(text)
	if !ok {
		return sheet.Cell{}, corruptError("row %d contains a cell without a valid shared string", r.number)
	}
	return r.shared(i)
}

func (r *rowReader) readInline() (sheet.Cell, error) {
	start := len(r.build.Text)
	var err error
	if r.build.Text, err = appendRich(r.build.Text, r.x, r.cellBytes); err != nil {
		return sheet.Cell{}, err
	}
	return r.build.Cell(sheet.Text, start), nil
}

// boolean parses a boolean; words outside the standard stay text.
func (r *rowReader) boolean(text []byte) sheet.Cell {
	switch string(text) {
	case "1", "true":
		return r.copyCell(sheet.Bool, "true")
	case "0", "false":
		return r.copyCell(sheet.Bool, "false")
	}
	return r.copyCell(sheet.Text, string(text))
}

// numeric parses a number, or a date if its format is one. Anything else, as some programs write
// it, becomes text.
func (r *rowReader) numeric(text []byte, format book.Style) sheet.Cell {
	start := len(r.build.Text)
	if format.IsDate() {
		if date, ok := appendSerial(r.build.Text, text, format.Format, r.date1904); ok {
			r.build.Text = date
			return r.build.Cell(sheet.Date, start)
		}
	}
	number, ok := appendNumber(r.build.Text, text)
	if !ok {
		r.build.Text = appendDecoded(r.build.Text, text)
		return r.build.Cell(sheet.Text, start)
	}
	r.build.Text = number
	return r.build.Number(format.Mask, start)
}

func (r *rowReader) isoDate(text []byte) sheet.Cell {
	start := len(r.build.Text)
	if date, ok := appendISO(r.build.Text, text); ok {
		r.build.Text = date
		return r.build.Cell(sheet.Date, start)
	}
	r.build.Text = appendDecoded(r.build.Text, text)
	return r.build.Cell(sheet.Text, start)
}

// copyCell returns a cell with a copy of the text.
func (r *rowReader) copyCell(k sheet.Kind, text string) sheet.Cell {
	start := len(r.build.Text)
	r.build.Text = append(r.build.Text, text...)
	return r.build.Cell(k, start)
}
