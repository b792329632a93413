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
}

func newTable(g grammar, header []string, lim sheet.Limits) *table {
	c := &table{fieldSplitter: fieldSplitter{grammar: g, limit: lim.Columns}, have: len(header)}
	for i, name := range header {
		if strings.TrimSpace(name) != "" {
			c.need = i + 1
		}
	}
	return c
}

// cells splits the row and compares its width with the header's. Excess delimiters are accepted if
// there is nothing between them.
func (c *table) cells(row []byte, quoted []span) ([]sheet.Cell, problem.Code) {
	c.split(row, quoted)
	if len(c.out) == c.have && !c.hasExcess {
		return c.out, ""
	}
	if len(c.out) < c.need || c.hasExcess {
		return c.out, problem.RowWidth
	}
	for i := c.have; i < len(c.out); i++ {
		if c.out[i].Kind != sheet.Empty {
			return c.out, problem.RowWidth
		}
	}
	return c.out, ""
}
