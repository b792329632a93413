package source

import (
	"slices"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/storable"
)

// Row is a row of a file as it is read.
type Row struct {
	Number int64  `json:"number"` // that a spreadsheet program shows
	Part   Part   `json:"part"`
	Cells  []Cell `json:"cells"`
}

// Part is which part of the table a row is.
type Part string

// The parts of a file.
const (
	Above  Part = "ABOVE" // titles and notes above the header
	Header Part = "HEADER"
	Data   Part = "DATA"
	Footer Part = "FOOTER" // below the data, and left out
)

// Cell is a cell of a Row.
type Cell struct {
	Text string `json:"text"` // as a person sees it, up to 200 characters
	Kind string `json:"kind"`
	Cut  bool   `json:"cut,omitempty"` // whether it has more text
}

// kinds are the names of kinds of cells.
var kinds = [...]string{
	sheet.Empty: "EMPTY", sheet.Text: "TEXT", sheet.Number: "NUMBER", sheet.Bool: "BOOLEAN", sheet.Date: "DATE",
	sheet.JSON: "JSON", sheet.ErrorValue: "ERROR", sheet.Formula: "FORMULA", sheet.Formatted: "NUMBER",
}

// shown is a row as a person sees it.
func shown(r *sheet.Row, d *sheet.Dialect) Row {
	row := Row{Number: r.Number, Part: partOf(r.Number, d), Cells: make([]Cell, len(r.Cells))}
	for i, c := range r.Cells {
		row.Cells[i] = Cell{Kind: kinds[c.Kind]}
		row.Cells[i].Text, row.Cells[i].Cut = cut(c.Shown())
	}
	return row
}

func partOf(number int64, d *sheet.Dialect) Part {
	switch {
	case number <= d.HeaderRow-int64(max(d.HeaderRows, 1)):
		return Above
	case number <= d.HeaderRow:
		return Header
	case d.FooterRow > 0 && number >= d.FooterRow:
		return Footer
	}
	return Data
}

func cut(text []byte) (string, bool) {
	if len(text) > maxText && utf8.RuneCount(text) > maxText {
		return storable.Clean(string([]rune(string(text))[:maxText])), true
	}
	return storable.Clean(string(text)), false
}

// size is about how many bytes the row takes in a response.
func (r *Row) size() int {
	const perCell = 32
	n := 0
	for i := range r.Cells {
		n += len(r.Cells[i].Text) + perCell
	}
	return n
}

// lastRows is how many of the last rows are kept.
const lastRows = 6

// Tail keeps copies of the last rows of a stream. Its zero value has none.
type Tail struct {
	rows []copied // a ring
	next int
}

// copied is a row in one piece, which is made for every row of a file.
type copied struct {
	number int64
	text   []byte // of all cells
	cells  []ended
}

// ended is a cell by where its text ends.
type ended struct {
	end  int
	kind sheet.Kind
}

// Add copies a row in the place of the oldest one.
func (t *Tail) Add(r *sheet.Row) {
	if len(t.rows) < lastRows {
		t.rows = append(t.rows, copied{})
		t.next = len(t.rows) - 1
	}
	c := &t.rows[t.next]
	t.next = (t.next + 1) % lastRows
	c.number = r.Number
	text, cells := c.text[:0], c.cells[:0]
	for i := range r.Cells {
		text = append(text, r.Cells[i].Bytes...)
		cells = append(cells, ended{len(text), r.Cells[i].Kind})
	}
	c.text, c.cells = text, cells
}

func (c *copied) row() sheet.Row {
	r := sheet.Row{Number: c.number, Cells: make([]sheet.Cell, len(c.cells))}
	begin := 0
	for i, e := range c.cells {
		r.Cells[i] = sheet.Cell{Kind: e.kind, Bytes: c.text[begin:e.end:e.end]}
		begin = e.end
	}
	return r
}

// ordered are the last rows in the file's order.
func (t *Tail) ordered() []sheet.Row {
	out := make([]sheet.Row, len(t.rows))
	for i := range t.rows {
		at := i
		if len(t.rows) == lastRows {
			at = (t.next + i) % lastRows
		}
		out[i] = t.rows[at].row()
	}
	return out
}

// maxLast is the most bytes of the last rows together; fewer are shown of wider ones.
const maxLast = 64 << 10

// Rows are the last rows in the file's order, as a person sees them.
func (t *Tail) Rows(d *sheet.Dialect) []Row {
	rows := t.ordered()
	out := make([]Row, 0, len(rows))
	size := 0
	for i := len(rows) - 1; i >= 0; i-- {
		row := shown(&rows[i], d)
		if size += row.size(); size > maxLast && len(out) > 0 {
			break
		}
		out = append(out, row)
	}
	slices.Reverse(out)
	return out
}
