package reading

import (
	"slices"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/rowview"
)

// lastRows is the number of last rows that Tail retains.
const lastRows = 6

// Tail holds copies of the last rows of a stream. Its zero value is empty.
type Tail struct {
	rows []copiedRow // ring buffer
	next int
}

// copiedRow is a row in a single buffer, because one is created for every row of a file.
type copiedRow struct {
	number int64
	text   []byte // text of all cells
	cells  []cellEnd
}

// cellEnd describes a cell by the end of its text.
type cellEnd struct {
	end  int
	kind sheet.Kind
}

// Add copies a row over the oldest one.
func (t *Tail) Add(r *sheet.Row) {
	if len(t.rows) < lastRows {
		t.rows = append(t.rows, copiedRow{})
		t.next = len(t.rows) - 1
	}
	c := &t.rows[t.next]
	t.next = (t.next + 1) % lastRows
	c.number = r.Number
	text, cells := c.text[:0], c.cells[:0]
	for i := range r.Cells {
		text = append(text, r.Cells[i].Bytes...)
		cells = append(cells, cellEnd{len(text), r.Cells[i].Kind})
	}
	c.text, c.cells = text, cells
}

func (c *copiedRow) row() sheet.Row {
	r := sheet.Row{Number: c.number, Cells: make([]sheet.Cell, len(c.cells))}
	begin := 0
	for i, e := range c.cells {
		r.Cells[i] = sheet.Cell{Kind: e.kind, Bytes: c.text[begin:e.end:e.end]}
		begin = e.end
	}
	return r
}

// ordered returns the last rows in file order.
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

// maxLastBytes limits the total bytes of the last rows; fewer rows are shown if they are wide.
const maxLastBytes = 64 << 10

// Rows returns the last rows in file order, formatted for display.
func (t *Tail) Rows(d *sheet.Dialect) []rowview.DisplayRow {
	rows := t.ordered()
	out := make([]rowview.DisplayRow, 0, len(rows))
	size := 0
	for i := len(rows) - 1; i >= 0; i-- {
		row := rowview.NewDisplayRow(&rows[i], d)
		if size += row.Size(); size > maxLastBytes && len(out) > 0 {
			break
		}
		out = append(out, row)
	}
	slices.Reverse(out)
	return out
}
