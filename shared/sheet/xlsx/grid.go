package xlsx

import (
	"bytes"
	"errors"

	"github.com/loadbay/loadbay/shared/sheet"
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
	w          *workbook
	in         *rowReader     // between two rows, or nil at the end
	prefetched *rowPrefetcher // rows that have been read on other cores; nil where none are
	row        *sheet.Row
	err        error
	claims     int64 // the last row that the sheet is said to have
}

// lastRowOfRef is the row at the end of a reference such as A1:H200; 0 where it is none.
func lastRowOfRef(ref []byte) int64 {
	if i := bytes.LastIndexByte(ref, ':'); i >= 0 {
		ref = ref[i+1:]
	}
	row, _ := parseRow(bytes.TrimLeft(ref, "$ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return min(row, maxRows)
}

// ClaimedRows is what the sheet says of its size. Nothing but an estimate is made of it.
func (g *grid) ClaimedRows() int64 { return g.claims }

func newGrid(w *workbook, name string) (*grid, error) {
	part, err := w.pkg.Part(name)
	if err != nil {
		return nil, err
	}
	x, err := xmlpull.New(partLabel(name), part)
	if err != nil {
		return nil, err
	}
	g := &grid{w: w, in: newRowReader(w, x)}
	g.in.shared = g.sharedString
	if err := g.skipToData(); err != nil {
		return nil, err
	}
	if g.in != nil {
		g.startPrefetch(part)
	}
	return g, nil
}

// startPrefetch makes other cores read the rows of a large part before they are asked for.
func (g *grid) startPrefetch(part *opc.Part) {
	if g.w.prefetch.canPrefetch(part) {
		g.prefetched = newRowPrefetcher(g.w, g.in.x, part)
	}
}

// skipToData goes to the first row.
func (g *grid) skipToData() error {
	x := g.in.x
	tok, err := x.Next()
	if err != nil {
		return err
	}
	if tok != xmlpull.Start || string(x.Local()) != "worksheet" {
		return corruptError("a sheet is something else")
	}
	for {
		tok, err := x.Next()
		if err != nil {
			return err
		}
		if tok == xmlpull.End {
			return g.finish()
		}
		switch string(x.Local()) {
		case "sheetData":
			return nil
		case "dimension":
			ref, _ := x.Attr("ref")
			g.claims = lastRowOfRef(ref)
		}
		if err := x.Skip(); err != nil {
			return err
		}
	}
}

// finish reads what stands behind the rows, for damage.
func (g *grid) finish() error {
	if err := g.in.x.Drain(); err != nil {
		return err
	}
	g.in = nil
	return g.w.strings.finish()
}

// Next implements book.Grid.
func (g *grid) Next() bool {
	for g.err == nil && g.in != nil {
		if g.prefetched != nil {
			if row, ok := g.prefetched.next(g.in, g.w.strings); ok {
				g.row = row
				return true
			}
		}
		var filled bool
		if filled, g.err = g.in.next(); filled {
			g.row = g.in.build.Row()
			return true
		}
		if errors.Is(g.err, errNoRows) {
			g.err = g.finish()
		}
	}
	return false
}

// sharedString is a cell with the shared string of that number, which has just been read.
func (g *grid) sharedString(i int) (sheet.Cell, error) {
	s, stable, err := g.w.strings.lookup(i)
	switch {
	case err != nil || len(s) == 0:
		return sheet.Cell{}, err
	case stable:
		return sheet.Cell{Kind: sheet.Text, Bytes: s}, nil
	}
	build := g.in.build
	start := len(build.Text)
	build.Text = append(build.Text, s...)
	return build.Cell(sheet.Text, start), nil
}

// Row implements book.Grid.
func (g *grid) Row() *sheet.Row { return g.row }

// Err implements book.Grid.
func (g *grid) Err() error { return g.err }

// Close implements book.Grid.
func (g *grid) Close() error {
	g.in = nil
	if g.prefetched != nil {
		g.prefetched.close()
		g.prefetched = nil
	}
	return nil
}
