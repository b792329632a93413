package xlsx

import (
	"errors"
	"strconv"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// errNoRows is why there is no next row: the sheet has ended.
var errNoRows = errors.New("the rows have ended")

// errUnsure is why a run of rows is not read on: it takes what stands before it to know.
var errUnsure = errors.New("the rows before it decide")

// unknown is the number of the row before, where that has not been read.
const unknown = -1

// rowReader reads rows as they stand in a sheet, or in a run of bytes from it.
type rowReader struct {
	x         *xmlpull.Scanner // between two rows
	formats   []book.Style     // by a cell's style
	date1904  bool
	cellBytes int // of a cell's text, at most
	// shared is a cell with the shared string of that number.
	shared func(i int) (sheet.Cell, error)

	build          *book.Builder
	number         int64  // of the row being read
	relativeNumber bool   // it is counted from a row whose own is unknown
	digits         []byte // the same, as cells have to repeat it
	column         int    // of the cell being read, from 0; -1 before the first
}

func newRowReader(w *workbook, x *xmlpull.Scanner) *rowReader {
	return &rowReader{
		x: x, formats: w.formats, date1904: w.date1904, cellBytes: w.lim.CellBytes,
		build: book.NewBuilder(maxColumns, w.lim.Columns),
	}
}

// next reads one row, or passes over what is none, and reports whether it was a row with a
// value. errNoRows: there are no more.
func (r *rowReader) next() (bool, error) {
	tok, err := r.x.Next()
	if err != nil {
		return false, err
	}
	if tok == xmlpull.End {
		return false, errNoRows
	}
	if string(r.x.Local()) != "row" {
		return false, r.x.Skip()
	}
	if err := r.begin(); err != nil {
		return false, err
	}
	for {
		if plain, err := r.plainCell(); err != nil {
			return false, err
		} else if plain {
			continue
		}
		tok, err := r.x.Next()
		if err != nil {
			return false, err
		}
		if tok == xmlpull.End {
			return !r.build.IsBlank(), nil
		}
		if string(r.x.Local()) != "c" {
			err = r.x.Skip()
		} else {
			err = r.readCell()
		}
		if err != nil {
			return false, err
		}
	}
}

// begin prepares for the row just started and finds its number.
func (r *rowReader) begin() error {
	ref, stated := r.x.Attr("r")
	if !stated && r.number == unknown {
		r.relativeNumber, r.number = true, 0
	}
	switch {
	case !stated:
		return r.setNumber(r.number + 1)
	case r.relativeNumber:
		return errUnsure
	}
	n, ok := parseRow(ref)
	if !ok {
		return corruptError("the row after row %d has a number that no row has", r.number)
	}
	if n <= r.number {
		return corruptError("row %d comes after row %d", n, r.number)
	}
	return r.setNumber(n)
}

func (r *rowReader) setNumber(n int64) error {
	if n > maxRows {
		return corruptError("row %d is beyond the last one of a sheet", n)
	}
	r.number, r.column = n, -1
	r.build.Begin(n)
	r.digits = strconv.AppendInt(r.digits[:0], n, 10)
	if r.relativeNumber {
		r.digits = append(r.digits[:0], '<') // which no attribute has
	}
	return nil
}
