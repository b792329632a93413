package text

import (
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// table splits the rows below a header.
type table struct {
	fieldSplitter
	need int // required number of cells: up to the last named column
	have int // maximum number of filled cells
	most int // maximum number of cells; 0: any
}

// newTable returns a splitter for the rows below a header, with up to that number of cells.
func newTable(g grammar, header []string, most int, lim sheet.Limits) *table {
	c := &table{fieldSplitter: fieldSplitter{grammar: g, limit: lim.Columns}, have: len(header), most: most}
	for i, name := range header {
		if strings.TrimSpace(name) != "" {
			c.need = i + 1
		}
	}
	return c
}

// cells splits the row and compares its width with the header's. Empty cells beyond the header are
// accepted up to the maximum: one more than that may be the second half of another cell, such as
// 1250,50 without quotes.
func (c *table) cells(row []byte, quoted []span) ([]sheet.Cell, problem.Code) {
	c.split(row, quoted)
	if len(c.out) == c.have && c.dropped == 0 {
		return c.out, ""
	}
	if len(c.out) < c.need || c.hasExcess || c.most > 0 && len(c.out)+c.dropped > c.most {
		return c.out, problem.RowWidth
	}
	for i := c.have; i < len(c.out); i++ {
		if c.out[i].Kind != sheet.Empty {
			return c.out, problem.RowWidth
		}
	}
	return c.out, ""
}
