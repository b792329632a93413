package sheet

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/problem"
)

// Header is the header of a table, which names its columns.
type Header struct {
	Row   int64    // row number; of the last row if there are several
	Rows  int      // number of rows
	Names []string // results of CleanName, one per column; "" for a blank one
	// Changed reports whether any name differs from the file's text.
	Changed bool
}

// headerSearchRows is the maximum number of rows, excluding blank ones, above a header that the
// options do not state.
const headerSearchRows = 30

// labelRunes is the maximum length of a text that looks like a column's name.
const labelRunes = 80

// Header finds the header row: the stated one, if stated is not 0, else the first row that is as
// wide as the table. It returns false if there is none. For a header of several rows, it finds
// the last one, and each column's name is composed of all rows: see withParent.
//
// Titles, comments and "exported by" lines above a header fill only a few of the table's
// columns, so they are skipped: a header fills two thirds of the columns that data rows fill. A
// row of labels with some blank names still takes precedence over a row of data below it.
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

// Widen adds a blank name for each column right of the header in which a row of the sample below it has
// a value.
func (h *Header) Widen(s *Sample) {
	for i := range s.rows {
		for r := &s.rows[i]; r.Number > h.Row && len(h.Names) < len(r.Cells); {
			h.Names = append(h.Names, "")
		}
	}
}

// CheckHeader returns FIELD_TOO_LARGE if a row up to the header has a cell that is too long: its
// cells are unknown.
func (s *Sample) CheckHeader(h Header, lim Limits) error {
	for i := range s.rows {
		if r := &s.rows[i]; r.Number <= h.Row && r.ErrorCode == string(problem.FieldTooLarge) {
			return problem.New(problem.FieldTooLarge, "A cell in row %d is longer than %d bytes.", r.Number, lim.CellBytes)
		}
	}
	return nil
}

func (s *Sample) headerIndex() int {
	width := s.width()
	partial := -1 // the first row of labels across the table with gaps
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

// width returns the number of filled cells in the rows of the table: the second highest number
// in the sample, so that one row with stray cells does not count.
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

// looksLikeHeader reports whether every filled cell may be a column's name: text that does not
// begin like a number or a date.
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

// withParent prefixes the names with those of the row above. A cell of that row that is merged
// over several columns is stored in the first of them, and the others are empty: they use the
// name to their left. "Fees" above "Paid" becomes "Fees Paid"; a single or repeated name is used
// once.
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

// nameRunes is the maximum length of a column's name: enough for a survey question, but not for
// a long text that happens to be in the first row.
const nameRunes = 1000

// CleanName normalises the name of a column or sheet for storage: it replaces NUL, which databases
// reject, and invalid characters by U+FFFD, and truncates a name of more than 1,000 characters
// to 999 and "…". changed reports whether the result differs.
func CleanName(written []byte) (name string, changed bool) {
	name = strings.ReplaceAll(strings.ToValidUTF8(string(written), "\uFFFD"), "\x00", "\uFFFD")
	if len(name) > nameRunes && utf8.RuneCountInString(name) > nameRunes {
		name = string([]rune(name)[:nameRunes-1]) + "…"
	}
	return name, name != string(written)
}
