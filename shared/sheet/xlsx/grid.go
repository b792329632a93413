package xlsx

import (
	"bytes"
	"strconv"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// What a sheet can have (ECMA-376 leaves it open; every program stops here).
const (
	maxRows    = 1_048_576
	maxColumns = 16_384
)

// grid streams the rows of one sheet.
type grid struct {
	w    *workbook
	part *opc.Part
	x    *xmlpull.Scanner // between two rows, or nil at the end
	err  error

	build  *book.Builder
	number int64  // of the row being read
	digits []byte // the same, as cells have to repeat it
	column int    // of the cell read last, from 0
	claims int64  // the last row that the sheet is said to have
}

// lastRow is the row at the end of a reference such as A1:H200; 0 where it is none.
func lastRow(ref []byte) int64 {
	if i := bytes.LastIndexByte(ref, ':'); i >= 0 {
		ref = ref[i+1:]
	}
	row, _ := parseRow(bytes.TrimLeft(ref, "$ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return min(row, maxRows)
}

// Claims is what the sheet says of its size. Nothing but an estimate is made of it.
func (g *grid) Claims() int64 { return g.claims }

func newGrid(w *workbook, name string) (*grid, error) {
	part, err := w.pkg.Part(name)
	if err != nil {
		return nil, err
	}
	if w.ahead {
		part.Ahead()
	}
	g := &grid{w: w, part: part, build: book.NewBuilder(maxColumns, w.lim.Columns)}
	if g.x, err = xmlpull.New(label(name), part); err == nil {
		err = g.toData()
	}
	if err != nil {
		part.Close()
		return nil, err
	}
	return g, nil
}

// toData goes to the first row.
func (g *grid) toData() error {
	tok, err := g.x.Next()
	if err != nil {
		return err
	}
	if tok != xmlpull.Start || string(g.x.Local()) != "worksheet" {
		return corrupt("a sheet is something else")
	}
	for {
		tok, err := g.x.Next()
		if err != nil {
			return err
		}
		if tok == xmlpull.End {
			return g.finish()
		}
		switch string(g.x.Local()) {
		case "sheetData":
			return nil
		case "dimension":
			ref, _ := g.x.Attr("ref")
			g.claims = lastRow(ref)
		}
		if err := g.x.Skip(); err != nil {
			return err
		}
	}
}

// finish reads what stands behind the rows, for damage.
func (g *grid) finish() error {
	if err := g.x.Drain(); err != nil {
		return err
	}
	g.x = nil
	return g.w.strings.finish()
}

// Next implements book.Grid.
func (g *grid) Next() bool {
	for g.err == nil && g.x != nil {
		var filled bool
		filled, g.err = g.next()
		if filled {
			return true
		}
	}
	return false
}

// next reads one row, or the end of them all, and reports whether the row has a
// value.
func (g *grid) next() (bool, error) {
	tok, err := g.x.Next()
	if err != nil {
		return false, err
	}
	if tok == xmlpull.End {
		return false, g.finish()
	}
	if string(g.x.Local()) != "row" {
		return false, g.x.Skip()
	}
	if err := g.begin(); err != nil {
		return false, err
	}
	for {
		tok, err := g.x.Next()
		if err != nil {
			return false, err
		}
		if tok == xmlpull.End {
			return !g.build.Blank(), nil
		}
		if string(g.x.Local()) != "c" {
			err = g.x.Skip()
		} else {
			err = g.readCell()
		}
		if err != nil {
			return false, err
		}
	}
}

// begin prepares for the row just started and finds its number.
func (g *grid) begin() error {
	ref, stated := g.x.Attr("r")
	if !stated {
		return g.setNumber(g.number + 1)
	}
	n, ok := parseRow(ref)
	if !ok {
		return corrupt("the row after row %d has a number that no row has", g.number)
	}
	if n <= g.number {
		return corrupt("row %d comes after row %d", n, g.number)
	}
	return g.setNumber(n)
}

func (g *grid) setNumber(n int64) error {
	if n > maxRows {
		return corrupt("row %d is beyond the last one of a sheet", n)
	}
	g.number, g.column = n, -1
	g.build.Begin(n)
	g.digits = strconv.AppendInt(g.digits[:0], n, 10)
	return nil
}

// Row implements book.Grid.
func (g *grid) Row() *sheet.Row { return g.build.Row() }

// Err implements book.Grid.
func (g *grid) Err() error { return g.err }

// Close implements book.Grid.
func (g *grid) Close() error {
	g.x = nil
	g.part.Close()
	return nil
}
