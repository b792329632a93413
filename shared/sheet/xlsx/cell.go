package xlsx

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// kind is the type attribute of a cell (ECMA-376-1, 18.18.11).
type kind uint8

const (
	numeric kind = iota
	shared
	inline
	formulaText
	boolean
	errorValue
	isoDate
)

// readCell reads the cell just started to its end and places it.
func (g *grid) readCell() error {
	column, t, format, err := g.cellHead()
	if err != nil {
		return err
	}
	var c sheet.Cell
	formula, cached := false, false
	if text, ok := g.x.Leaf("v", g.w.lim.CellBytes); ok {
		c, err = g.value(text, t, format)
		cached = t.cached(text)
	}
	for err == nil {
		var tok xmlpull.Token
		if tok, err = g.x.Next(); err != nil || tok == xmlpull.End {
			break
		}
		switch string(g.x.Local()) {
		case "v":
			c, cached, err = g.readValue(t, format)
		case "is":
			c, err = g.readInline()
			cached = true
		case "f":
			formula = true
			err = g.x.Skip()
		default:
			err = g.x.Skip()
		}
	}
	if err != nil {
		return err
	}
	if formula && !cached && c.Kind == sheet.Empty {
		c.Kind = sheet.Formula
	}
	g.column = column
	return g.build.Place(column, c)
}

// cellHead reads the attributes of the cell just started.
func (g *grid) cellHead() (column int, t kind, format book.Style, err error) {
	column = g.column + 1
	attrs := g.x.Attrs()
	for i := range attrs {
		a := &attrs[i]
		if len(a.Prefix) > 0 || len(a.Local) != 1 {
			continue
		}
		switch a.Local[0] {
		case 'r':
			var ok bool
			if column, ok = parseRef(a.Value, g.digits); !ok {
				return 0, 0, book.Style{}, corrupt("row %d has a cell in a place that is not of that row", g.number)
			}
		case 's':
			format = g.format(a.Value)
		case 't':
			t = parseKind(a.Value)
		}
	}
	return column, t, format, nil
}

func parseKind(t []byte) kind {
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

// format is what the style of that number makes of numbers; a style that does
// not exist makes nothing of them.
func (g *grid) format(style []byte) book.Style {
	i, ok := parseIndex(style)
	if !ok || i >= len(g.w.formats) {
		return book.Style{}
	}
	return g.w.formats[i]
}

// parseIndex reads a number from 0 to some billion.
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

// cached reports whether the text of a v element is the value of a formula,
// which may be an empty text; numbers and the like are none without a character.
func (t kind) cached(text []byte) bool {
	return t == formulaText || t == inline || len(text) > 0
}

// readValue reads the v element just started to its end, and reports whether it
// holds a value.
func (g *grid) readValue(t kind, format book.Style) (c sheet.Cell, cached bool, err error) {
	text, err := g.x.Text(g.w.lim.CellBytes)
	if err != nil {
		return sheet.Cell{}, false, err
	}
	cached = t.cached(text)
	if c, err = g.value(text, t, format); err != nil {
		return c, false, err
	}
	return c, cached, g.x.Skip()
}

// value is what a cell of that type makes of the text of its v element.
func (g *grid) value(text []byte, t kind, format book.Style) (sheet.Cell, error) {
	if len(text) == 0 {
		return sheet.Cell{}, nil
	}
	start := len(g.build.Text)
	switch t {
	case shared:
		return g.sharedString(bytes.TrimSpace(text))
	case inline, formulaText:
		g.build.Text = appendDecoded(g.build.Text, text)
		return g.build.Cell(sheet.Text, start), nil
	case errorValue:
		g.build.Text = append(g.build.Text, bytes.TrimSpace(text)...)
		return g.build.Cell(sheet.ErrorValue, start), nil
	case boolean:
		return g.boolean(bytes.TrimSpace(text)), nil
	case isoDate:
		return g.isoDate(bytes.TrimSpace(text)), nil
	}
	return g.numeric(bytes.TrimSpace(text), format), nil
}

func (g *grid) sharedString(text []byte) (sheet.Cell, error) {
	i, ok := parseIndex(text)
	if !ok {
		return sheet.Cell{}, corrupt("row %d has a cell that refers to no shared string", g.number)
	}
	s, stable, err := g.w.strings.lookup(i)
	switch {
	case err != nil || len(s) == 0:
		return sheet.Cell{}, err
	case stable:
		return sheet.Cell{Kind: sheet.Text, Bytes: s}, nil
	}
	start := len(g.build.Text)
	g.build.Text = append(g.build.Text, s...)
	return g.build.Cell(sheet.Text, start), nil
}

func (g *grid) readInline() (sheet.Cell, error) {
	start := len(g.build.Text)
	var err error
	if g.build.Text, err = appendRich(g.build.Text, g.x, g.w.lim.CellBytes); err != nil {
		return sheet.Cell{}, err
	}
	return g.build.Cell(sheet.Text, start), nil
}

// boolean reads a truth value; other words than those of the standard stay
// text.
func (g *grid) boolean(text []byte) sheet.Cell {
	switch string(text) {
	case "1", "true":
		return g.copied(sheet.Bool, "true")
	case "0", "false":
		return g.copied(sheet.Bool, "false")
	}
	return g.copied(sheet.Text, string(text))
}

// numeric reads a number: a date where its format is one. What is no number, as
// some programs write it, is text.
func (g *grid) numeric(text []byte, format book.Style) sheet.Cell {
	start := len(g.build.Text)
	if format.Date() {
		if date, ok := appendSerial(g.build.Text, text, format.Format, g.w.date1904); ok {
			g.build.Text = date
			return g.build.Cell(sheet.Date, start)
		}
	}
	number, ok := appendNumber(g.build.Text, text)
	if !ok {
		g.build.Text = appendDecoded(g.build.Text, text)
		return g.build.Cell(sheet.Text, start)
	}
	g.build.Text = number
	return g.build.Number(format.Mask, start)
}

func (g *grid) isoDate(text []byte) sheet.Cell {
	start := len(g.build.Text)
	if date, ok := appendISO(g.build.Text, text); ok {
		g.build.Text = date
		return g.build.Cell(sheet.Date, start)
	}
	g.build.Text = appendDecoded(g.build.Text, text)
	return g.build.Cell(sheet.Text, start)
}

// copied is a cell with a copy of the text.
func (g *grid) copied(k sheet.Kind, text string) sheet.Cell {
	start := len(g.build.Text)
	g.build.Text = append(g.build.Text, text...)
	return g.build.Cell(k, start)
}
