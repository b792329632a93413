package xls

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

// The limits of a sheet of this format.
const maxColumns = 256

// grid streams the rows of one sheet.
type grid struct {
	w     *workbook
	cells []uint32 // offsets of the records of cells with a value, by row
	last  int64    // number of the last row with a value
	build *book.Builder
	err   error

	hidden map[uint16]bool // hidden rows, from 0
	layout book.Layout
}

func newGrid(w *workbook, place int) (*grid, error) {
	g := &grid{w: w, build: book.NewBuilder(maxColumns, w.lim)}
	if err := g.indexCells(place); err != nil {
		return nil, err
	}
	if n := len(g.cells); n > 0 {
		g.last = int64(g.rowOfRecord(g.cells[n-1])) + 1
	}
	return g, nil
}

// Layout implements book.Grid.
func (g *grid) Layout() *book.Layout { return &g.layout }

// ClaimedRows returns the number of the last row with a value.
func (g *grid) ClaimedRows() int64 { return g.last }

// indexCells finds the cells of the sheet that begins at place and sorts them by row.
func (g *grid) indexCells(place int) error {
	records := biff.NewReader(g.w.stream, place)
	if r, ok, err := records.Next(); err != nil {
		return err
	} else if !ok || r.Type != biff.BOF {
		return biff.CorruptError("a sheet is at an invalid position")
	}
	sorted, last := true, uint16(0)
	unstated := g.w.version != biff8 && !g.w.codepage.isStated
	for depth := 1; depth > 0; {
		r, ok, err := records.Next()
		if err != nil {
			return err
		}
		if !ok {
			return biff.CorruptError("a sheet is incomplete")
		}
		switch {
		case r.Type == biff.BOF: // a chart within the sheet
			depth++
		case r.Type == biff.EOF:
			depth--
		case depth == 1 && hasValue(r.Type):
			row, err := r.Uint16(0)
			if err != nil {
				return err
			}
			sorted, last = sorted && row >= last, row
			if unstated {
				g.w.noteGuessedText(r)
			}
			g.cells = append(g.cells, uint32(r.Offset)-headLen)
		case depth == 1:
			g.readLayout(r)
		}
	}
	if !sorted {
		slices.SortStableFunc(g.cells, func(a, b uint32) int { return cmp.Compare(g.rowOfRecord(a), g.rowOfRecord(b)) })
	}
	return nil
}

// headLen is the length of a record's header.
const headLen = 4

func (g *grid) rowOfRecord(place uint32) uint16 {
	return binary.LittleEndian.Uint16(g.w.stream[place+headLen:])
}

// hasValue reports whether a record contains cells with a value, in the form of any version,
// because programs have kept writing older forms.
func hasValue(recordType uint16) bool {
	switch recordType {
	case biff.Number, biff.RK, biff.MulRK, biff.LabelSST, biff.Label, biff.RString, biff.BoolErr,
		biff.Formula, biff.Formula3, biff.Formula4,
		biff.Integer2, biff.Number2, biff.Label2, biff.BoolErr2, biff.RK2:
		return true
	}
	return false
}

// Next implements book.Grid.
func (g *grid) Next() bool {
	for g.err == nil && len(g.cells) > 0 {
		if g.err = g.readRow(); g.err == nil && !g.build.IsBlank() {
			return true
		}
	}
	return false
}

// readRow reads all cells of the next row.
func (g *grid) readRow() error {
	number := g.rowOfRecord(g.cells[0])
	g.build.Begin(int64(number) + 1)
	if g.hidden[number] {
		g.build.Hide()
	}
	for len(g.cells) > 0 && g.rowOfRecord(g.cells[0]) == number {
		records := biff.NewReader(g.w.stream, int(g.cells[0]))
		g.cells = g.cells[1:]
		r, _, err := records.Next()
		if err == nil {
			err = g.readRecord(r, records)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Row implements book.Grid.
func (g *grid) Row() *sheet.Row { return g.build.Row() }

// Err implements book.Grid.
func (g *grid) Err() error { return g.err }

// Close implements book.Grid.
func (g *grid) Close() error {
	g.cells = nil
	return nil
}
