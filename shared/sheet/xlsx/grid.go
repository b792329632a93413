package xlsx

import (
	"bytes"
	"errors"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// The limits of a sheet (not defined by ECMA-376, but common to all programs).
const (
	maxRows    = 1_048_576
	maxColumns = 16_384
)

// grid streams the rows of one sheet.
type grid struct {
	w          *workbook
	in         *rowReader     // between two rows, or nil at the end
	prefetched *rowPrefetcher // prefetched rows; nil without prefetching
	row        *sheet.Row
	err        error
	claims     int64 // declared last row of the sheet
	layout     book.Layout
}

// firstRowOfRef returns the first row of a reference such as A1:H200; 0 if it is invalid.
func firstRowOfRef(ref []byte) int64 {
	first, _, _ := bytes.Cut(ref, []byte(":"))
	return lastRowOfRef(first)
}

// lastRowOfRef returns the last row of a reference such as A1:H200; 0 if it is invalid.
func lastRowOfRef(ref []byte) int64 {
	if i := bytes.LastIndexByte(ref, ':'); i >= 0 {
		ref = ref[i+1:]
	}
	row, _ := parseRow(bytes.TrimLeft(ref, "$ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return min(row, maxRows)
}

// Layout implements book.Grid.
func (g *grid) Layout() *book.Layout { return &g.layout }

// ClaimedRows returns the number of rows that the sheet declares. It is only used as an estimate.
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

// startPrefetch starts prefetching the rows of a large part on other cores.
func (g *grid) startPrefetch(part *opc.Part) {
	if g.w.prefetch.canPrefetch(part) {
		g.prefetched = newRowPrefetcher(g.w, g.in.x, part)
	}
}

// skipToData advances to the first row.
func (g *grid) skipToData() error {
	x := g.in.x
	tok, err := x.Next()
	if err != nil {
		return err
	}
	if tok != xmlpull.Start || string(x.Local()) != "worksheet" {
		return corruptError("a sheet has an unexpected root element")
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
		case "cols":
			if err := g.readColumns(); err != nil {
				return err
			}
			continue
		}
		if err := x.Skip(); err != nil {
			return err
		}
	}
}

// readColumns reads which columns are hidden.
func (g *grid) readColumns() error {
	return eachChild(g.in.x, "col", func(x *xmlpull.Scanner) {
		from, _ := x.Attr("min")
		to, _ := x.Attr("max")
		first, known := parseRow(from)
		last, bounded := parseRow(to)
		if known && bounded && isFlagged(x, "hidden") {
			g.layout.HideColumns(int(first)-1, int(last)-1)
		}
	})
}

// readRest reads the elements after the rows for the merged ranges.
func (g *grid) readRest() error {
	x := g.in.x
	for {
		tok, err := x.Next()
		if err != nil || tok != xmlpull.Start {
			return err
		}
		if string(x.Local()) != "mergeCells" {
			err = x.Skip()
		} else {
			err = eachChild(x, "mergeCell", func(x *xmlpull.Scanner) {
				ref, _ := x.Attr("ref")
				if first, last := firstRowOfRef(ref), lastRowOfRef(ref); first < last {
					g.layout.Merge(first, string(ref))
				}
			})
		}
		if err != nil {
			return err
		}
	}
}

// finish reads the rest of the part to detect damage.
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
			if g.err = g.readRest(); g.err == nil {
				g.err = g.finish()
			}
		}
	}
	return false
}

// sharedString returns a cell with the shared string of that number, which was just read.
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
