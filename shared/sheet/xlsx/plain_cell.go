package xlsx

import (
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// plainCell reads the next cell of the row, if it has the form of nearly all cells:
//
//	<c r="B7" s="1" t="s"><v>12</v></c>
//	<c r="C7" t="inlineStr"><is><t>text</t></is></c>
//	<c r="D7" s="2"/>
//
// It is a shortcut: if it returns false, the scanner must read the cell. It also leaves all errors
// in the cell's tags to the scanner.
func (r *rowReader) plainCell() (bool, error) {
	b := r.x.Window()
	h, n := r.plainHead(b)
	if n == 0 {
		return false, nil
	}
	if b[n-2] == '/' {
		r.x.Advance(n)
		return true, r.place(h, sheet.Cell{})
	}
	text, size := xmlpull.Enclosed(b[n:], "<v>", "</v></c>", r.cellBytes)
	if size == 0 {
		if text, size = xmlpull.Enclosed(b[n:], "<is><t>", "</t></is></c>", r.cellBytes); size == 0 {
			return false, nil
		}
		h.kind = inline
	}
	r.x.Advance(n + size)
	c, err := r.value(text, h.kind, h.format)
	if err != nil {
		return false, err
	}
	return true, r.place(h, c)
}

// plainHead parses the tag of a cell with only the relevant attributes and returns its length, or 0
// if there is none.
func (r *rowReader) plainHead(b []byte) (cellHead, int) {
	h := cellHead{column: r.column + 1}
	if len(b) < len(`<c />`) || b[0] != '<' || b[1] != 'c' {
		return h, 0
	}
	const before = len(` r="`)
	i := len("<c")
	for range 3 {
		if len(b) <= i+before || b[i] != ' ' || b[i+2] != '=' || b[i+3] != '"' {
			break
		}
		name := b[i+1]
		value, ok := plainAttribute(b[i+before:])
		if !ok || name != 'r' && name != 's' && name != 't' || !r.attribute(&h, name, value) {
			return h, 0
		}
		i += before + len(value) + 1
	}
	switch {
	case i < len(b) && b[i] == '>':
		return h, i + 1
	case i+1 < len(b) && b[i] == '/' && b[i+1] == '>':
		return h, i + 2
	}
	return h, 0
}

// plainAttribute returns the value at the start of b, up to a quotation mark; false if it is
// incomplete or needs decoding.
func plainAttribute(b []byte) ([]byte, bool) {
	for i, c := range b {
		switch c {
		case '"':
			return b[:i], true
		case '<':
			return nil, false
		}
	}
	return nil, false
}
