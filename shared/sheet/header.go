package sheet

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Header is the row that names a table's columns.
type Header struct {
	Row   int64    // its number; of several rows, that of the last
	Rows  int      // how many rows it is made of
	Names []string // as Name has them, one per column; "" for a blank one
	// Changed reports whether any name is another text than the file's.
	Changed bool
}

// headerSearchRows is how many rows, blank ones left out, may stand above a header
// that the options do not state.
const headerSearchRows = 30

// labelRunes is the longest text taken for a column's name where that matters.
const labelRunes = 80

// Header finds the header row: the stated one, if stated is not 0, else the
// first row that is as wide as the table. It is false where there is no such
// row. Of a header of several rows it is the last one, and each column's name is made
// of all of them: see below.
//
// Titles, comments and "exported by" lines above a header fill only a few of the
// table's columns, so they are passed over: a header fills two thirds of the
// columns that data rows fill. A row of labels whose names are partly blank is
// still preferred to a row of data below it.
func (s *Sample) Header(stated int64, rows int) (Header, bool) {
	index := slices.IndexFunc(s.rows, func(r Row) bool { return r.Number == stated })
	if stated == 0 && len(s.rows) > 0 {
		index = s.headerIndex()
	}
	if index < 0 {
		return Header{}, false
	}
	last := &s.rows[index]
	h := newHeader(last)
	for above := index - 1; above >= 0 && s.rows[above].Number > last.Number-int64(rows); above-- {
		h = h.withParent(newHeader(&s.rows[above]))
	}
	return h, true
}

func (s *Sample) headerIndex() int {
	width := s.width()
	partial := -1 // the first row of labels that spans the table with gaps
	for i := range s.rows[:min(len(s.rows), headerSearchRows)] {
		r := &s.rows[i]
		full := 3*filledCells(r) >= 2*width
		switch {
		case full && (looksLikeHeader(r) || partial < 0):
			return i
		case full:
			return partial
		case partial < 0 && len(r.Cells) >= width && looksLikeHeader(r) && 2*filledCells(r) >= width:
			partial = i
		}
	}
	return max(partial, 0)
}

// width is how many cells the rows of the table fill: the second highest number
// in the sample, so that one row with strays does not count.
func (s *Sample) width() int {
	first, second := 0, 0
	for i := range s.rows {
		n := filledCells(&s.rows[i])
		if n > first {
			first, second = n, first
		} else if n > second {
			second = n
		}
	}
	if len(s.rows) < 3 {
		return first
	}
	return second
}

func filledCells(r *Row) int {
	n := 0
	for i := range r.Cells {
		if len(r.Cells[i].Bytes) > 0 {
			n++
		}
	}
	return n
}

// looksLikeHeader reports whether every filled cell may be a column's name: text that does
// not begin like a number or a date.
func looksLikeHeader(r *Row) bool {
	for i := range r.Cells {
		c := &r.Cells[i]
		if len(c.Bytes) == 0 {
			continue
		}
		if c.Kind != Text || utf8.RuneCount(c.Bytes) > labelRunes {
			return false
		}
		if b := c.Bytes[0]; b >= '0' && b <= '9' || b == '-' || b == '+' {
			return false
		}
	}
	return true
}

func newHeader(r *Row) Header {
	h := Header{Row: r.Number, Rows: 1, Names: make([]string, len(r.Cells))}
	for i := range r.Cells {
		var changed bool
		h.Names[i], changed = CleanName(r.Cells[i].DisplayText())
		h.Changed = h.Changed || changed
	}
	return h
}

// withParent is the header with the names of a row above it in front. A cell of that row
// that is merged over several columns stands in the first of them, and the others are
// empty: they take the name to their left. "Fees" above "Paid" is "Fees Paid"; a name
// that stands there twice, or alone, is taken once.
func (h Header) withParent(group Header) Header {
	joined := Header{Row: h.Row, Rows: h.Rows + 1, Names: make([]string, max(len(h.Names), len(group.Names))), Changed: h.Changed || group.Changed}
	over := ""
	for i := range joined.Names {
		own, named := "", ""
		if i < len(h.Names) {
			own = strings.TrimSpace(h.Names[i])
		}
		if i < len(group.Names) {
			named = strings.TrimSpace(group.Names[i])
		}
		if named != "" {
			over = named
		}
		switch {
		case own == "":
			joined.Names[i] = named
		case over == "" || strings.EqualFold(own, over):
			joined.Names[i] = own
		default:
			joined.Names[i], _ = CleanName([]byte(over + " " + own))
		}
	}
	return joined
}

// nameRunes is the longest name of a column: a question of a survey fits, a text
// that slipped into the first row does not.
const nameRunes = 1000

// CleanName is the name of a column or sheet as everything behind the reader can hold it:
// as written, with U+FFFD for what is no character or NUL, which databases
// refuse, and "…" for what follows the 999th character of a name of more than
// 1,000. It reports whether that is another text.
func CleanName(written []byte) (name string, changed bool) {
	name = strings.ReplaceAll(strings.ToValidUTF8(string(written), "\uFFFD"), "\x00", "\uFFFD")
	if len(name) > nameRunes && utf8.RuneCountInString(name) > nameRunes {
		name = string([]rune(name)[:nameRunes-1]) + "…"
	}
	return name, name != string(written)
}
