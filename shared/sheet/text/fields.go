package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/loadbay/loadbay/shared/sheet"
)

// fieldSplitter splits a row of CSV into out. The cells alias the row, or scratch if they contain
// doubled quotes.
type fieldSplitter struct {
	grammar
	limit     int // maximum number of cells per row; more cells are only counted and checked for content
	out       []sheet.Cell
	dropped   int  // number of cells beyond the limit
	hasExcess bool // whether there is a non-blank cell beyond the limit
	scratch   []byte
}

// split fills out from the row. quoted are its quoted cells, found by the scanner.
func (f *fieldSplitter) split(row []byte, quoted []span) {
	f.out, f.dropped, f.hasExcess, f.scratch = f.out[:0], 0, false, f.scratch[:0]
	pos := 0
	for _, q := range quoted {
		if pos < q.open {
			f.splitPlain(row[:q.open], pos) // the remaining text before it is spaces
		}
		cell, end := f.quotedCell(row, q)
		f.out = f.add(f.out, cell)
		if end == len(row) {
			return
		}
		pos = end + 1
	}
	pos = f.splitPlain(row, pos)
	f.out = f.add(f.out, row[pos:len(row):len(row)])
}

// splitPlain adds the cells of row[pos:] that end with a delimiter, and returns the start of the
// next one. It checks eight bytes at a time: a byte of t's inverse has its high bit set exactly
// where the word contains the delimiter.
func (f *fieldSplitter) splitPlain(row []byte, pos int) int {
	pattern, out := lowBits*uint64(f.delim), f.out
	i := pos
words:
	for ; i+8 <= cap(row) && i < len(row); i += 8 {
		w := binary.LittleEndian.Uint64(row[i:i+8:cap(row)]) ^ pattern
		t := (w&low7 + low7) | w | low7
		for m := ^t; m != 0; m &= m - 1 {
			delimAt := i + bits.TrailingZeros64(m)>>3
			if delimAt >= len(row) {
				i = delimAt // beyond the row: bytes of the following text
				break words
			}
			if len(out) < f.limit { // inlined add, which is too long for the compiler to inline
				out = append(out, cellOf(row[pos:delimAt:delimAt]))
			} else {
				f.checkExcess(row[pos:delimAt])
			}
			pos = delimAt + 1
		}
	}
	for ; i < len(row); i++ {
		if row[i] == f.delim {
			out = f.add(out, row[pos:i:i])
			pos = i + 1
		}
	}
	f.out = out
	return pos
}

// add appends a cell to out, which is f.out or about to become it.
func (f *fieldSplitter) add(out []sheet.Cell, b []byte) []sheet.Cell {
	if len(out) < f.limit {
		return append(out, cellOf(b))
	}
	f.checkExcess(b)
	return out
}

func cellOf(b []byte) sheet.Cell {
	if len(b) == 0 {
		return sheet.Cell{}
	}
	return sheet.Cell{Kind: sheet.Text, Bytes: b}
}

// checkExcess counts a cell beyond the limit and records whether it is not blank.
func (f *fieldSplitter) checkExcess(b []byte) {
	f.dropped++
	f.hasExcess = f.hasExcess || bytes.ContainsFunc(b, func(r rune) bool { return r > ' ' || !isWhiteSpace(byte(r)) })
}

// quotedCell returns the content of a quoted cell, and the index of the delimiter after it, or the
// row's end. Text between the closing quote and the delimiter belongs to the cell, unless it is
// only spaces.
func (f *fieldSplitter) quotedCell(row []byte, q span) (cell []byte, end int) {
	cell, end = row[q.open+1:q.after-1:q.after-1], q.after
	if q.doubled {
		cell = f.undouble(cell)
	}
	if end == len(row) || row[end] == f.delim {
		return cell, end
	}
	end = matchBytes(row, end, f.delim)
	if tail := row[q.after:end]; len(bytes.Trim(tail, " ")) > 0 {
		cell = f.joinPieces(cell, tail)
	}
	return cell, end
}

// undouble replaces doubled quotes by single ones.
func (f *fieldSplitter) undouble(b []byte) []byte {
	begin := len(f.scratch)
	for {
		n := matchBytes(b, 0, f.quote)
		if n == len(b) {
			break
		}
		f.scratch = append(f.scratch, b[:n+1]...)
		b = b[min(n+2, len(b)):]
	}
	f.scratch = append(f.scratch, b...)
	return f.scratch[begin:len(f.scratch):len(f.scratch)]
}

// joinPieces joins two pieces of a cell.
func (f *fieldSplitter) joinPieces(a, b []byte) []byte {
	begin := len(f.scratch)
	f.scratch = append(append(f.scratch, a...), b...)
	return f.scratch[begin:len(f.scratch):len(f.scratch)]
}

// longest returns the length of the longest cell in the row.
func (f *fieldSplitter) longest(row []byte, quoted []span) int {
	longest := 0
	f.split(row, quoted)
	for i := range f.out {
		longest = max(longest, len(f.out[i].Bytes))
	}
	return longest
}

// isBlank is blank with a fast path for nearly every row.
func (g *grammar) isBlank(row []byte) bool {
	return len(row) == 0 || (row[0] <= ' ' || row[0] == g.delim || row[0] == g.quote) && g.blank(row)
}

// blank reports whether the row contains only delimiters, white space and quotes around white
// space.
func (g *grammar) blank(row []byte) bool {
	for i := 0; i < len(row); i++ {
		switch c := row[i]; {
		case c == g.delim, isWhiteSpace(c):
		case g.quotes && c == g.quote:
			for i++; i < len(row) && isWhiteSpace(row[i]); i++ {
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

func isWhiteSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
