package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/loadbay/loadbay/shared/sheet"
)

// fields splits a row of CSV into out, whose cells alias the row, or scratch where
// doubled quotes had to be undone.
type fields struct {
	grammar
	limit   int // cells of a row; what follows is only looked at for more
	out     []sheet.Cell
	surplus bool // whether there is anything but blank cells beyond the limit
	scratch []byte
}

// split fills out from the row. quoted tells whether it may hold quotes.
func (f *fields) split(row []byte, quoted bool) {
	f.out, f.surplus = f.out[:0], false
	if quoted {
		f.splitQuoted(row)
	} else {
		f.splitPlain(row)
	}
}

// splitPlain splits a row without quotes, eight bytes at a time: a byte of t's
// inverse has its high bit set exactly where the word holds the delimiter.
func (f *fields) splitPlain(row []byte) {
	pattern := ones * uint64(f.delim)
	start, i := 0, 0
	for ; i+8 <= cap(row) && i < len(row); i += 8 {
		w := binary.LittleEndian.Uint64(row[i:i+8:cap(row)]) ^ pattern
		t := (w&low7 + low7) | w | low7
		for m := ^t; m != 0; m &= m - 1 {
			at := i + bits.TrailingZeros64(m)>>3
			if at >= len(row) {
				break // beyond the row: the bytes of the next one
			}
			if !f.add(row[start:at:at]) {
				f.surplus = !f.blank(row[start:])
				return
			}
			start = at + 1
		}
	}
	for ; i < len(row); i++ {
		if row[i] != f.delim {
			continue
		}
		if !f.add(row[start:i:i]) {
			f.surplus = !f.blank(row[start:])
			return
		}
		start = i + 1
	}
	if !f.add(row[start:len(row):len(row)]) {
		f.surplus = !f.blank(row[start:])
	}
}

// add appends a cell; it is false where the row is full.
func (f *fields) add(b []byte) bool {
	if len(f.out) >= f.limit {
		return false
	}
	kind := sheet.Text
	if len(b) == 0 {
		kind = sheet.Empty
	}
	f.out = append(f.out, sheet.Cell{Kind: kind, Bytes: b})
	return true
}

// splitQuoted splits a row that holds quotes.
func (f *fields) splitQuoted(row []byte) {
	f.scratch = f.scratch[:0]
	for pos := 0; ; {
		var cell []byte
		end := pos
		if q := f.opening(row, pos); q >= 0 {
			cell, end = f.quotedCell(row, q)
		} else {
			end = near(row, pos, f.delim)
			cell = row[pos:end:end]
		}
		if !f.add(cell) {
			f.surplus = !f.blank(row[pos:])
			return
		}
		if end == len(row) {
			return
		}
		pos = end + 1
	}
}

// opening is the index of the quote that opens the cell at pos; negative for a
// cell that is not quoted.
func (f *fields) opening(row []byte, pos int) int {
	for pos < len(row) && row[pos] == ' ' && f.delim != ' ' {
		pos++
	}
	if pos < len(row) && row[pos] == f.quote {
		return pos
	}
	return -1
}

// quotedCell reads the cell whose quote is at q, and returns the index of the
// delimiter after it. A cell that is never closed reaches to the row's end: only
// the look at a row that is not whole yet meets one.
func (f *fields) quotedCell(row []byte, q int) (cell []byte, end int) {
	from := q + 1
	shut := near(row, from, f.quote)
	if shut == len(row) {
		return row[from:], len(row)
	}
	if shut+1 == len(row) || row[shut+1] == f.delim {
		return row[from:shut:shut], shut + 1
	}
	return f.unescape(row, from, shut)
}

// unescape reads a cell that has doubled quotes, or text after its closing one.
func (f *fields) unescape(row []byte, from, shut int) (cell []byte, end int) {
	begin := len(f.scratch)
	for shut+1 < len(row) && row[shut+1] == f.quote {
		f.scratch = append(f.scratch, row[from:shut+1]...)
		from = shut + 2
		shut = near(row, from, f.quote)
	}
	f.scratch = append(f.scratch, row[from:shut]...)
	if shut < len(row) {
		end = near(row, shut+1, f.delim)
		if tail := row[shut+1 : end]; len(bytes.Trim(tail, " ")) > 0 {
			f.scratch = append(f.scratch, tail...)
		}
	} else {
		end = shut
	}
	return f.scratch[begin:len(f.scratch):len(f.scratch)], end
}

// longest is the length of the longest cell in the row.
func (f *fields) longest(row []byte) int {
	f.split(row, f.quotes && bytes.IndexByte(row, f.quote) >= 0)
	longest := 0
	for i := range f.out {
		longest = max(longest, len(f.out[i].Bytes))
	}
	return longest
}

// isBlank is blank, with a fast answer for nearly every row.
func (g *grammar) isBlank(row []byte) bool {
	return len(row) == 0 || (row[0] <= ' ' || row[0] == g.delim || row[0] == g.quote) && g.blank(row)
}

// blank tells whether the row has nothing but delimiters, white space and quotes
// around white space.
func (g *grammar) blank(row []byte) bool {
	for i := 0; i < len(row); i++ {
		switch c := row[i]; {
		case c == g.delim, white(c):
		case g.quotes && c == g.quote:
			for i++; i < len(row) && white(row[i]); i++ {
			}
			if i == len(row) || row[i] != g.quote || i+1 < len(row) && row[i+1] == g.quote {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func white(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
