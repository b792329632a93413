package xlsx

import (
	"errors"
	"strconv"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// errNoRows is returned after the last row of the sheet.
var errNoRows = errors.New("the rows are finished")

// errUnsure is returned if the meaning of a row depends on the rows before the run.
var errUnsure = errors.New("the rows before it decide")

// unknown is the number of the preceding row if that was not read.
const unknown = -1

// rowReader reads rows of a sheet, or of a run of its bytes.
type rowReader struct {
	x         *xmlpull.Scanner // between two rows
	formats   []book.Style     // by a cell's style
	date1904  bool
	cellBytes int // maximum bytes of a cell's text
	// shared returns a cell with the shared string of that number.
	shared func(i int) (sheet.Cell, error)

	build          *book.Builder
	number         int64  // number of the current row
	relativeNumber bool   // number is relative to a row with an unknown number
	digits         []byte // digits of number, which cell references must repeat
	column         int    // column of the current cell, from 0; -1 before the first
}

func newRowReader(w *workbook, x *xmlpull.Scanner) *rowReader {
	return &rowReader{
		x: x, formats: w.formats, date1904: w.date1904, cellBytes: w.lim.CellBytes,
		build: book.NewBuilder(maxColumns, w.lim),
	}
}

// next reads one row, or skips another element, and reports whether it was a row with a value. It
// returns errNoRows at the end.
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

// begin prepares for the current row and determines its number.
func (r *rowReader) begin() error {
	if err := r.beginNumber(); err != nil {
		return err
	}
	if isFlagged(r.x, "hidden") {
		r.build.Hide()
	}
	return nil
}

func (r *rowReader) beginNumber() error {
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
		return corruptError("the row after row %d has an invalid number", r.number)
	}
	if n <= r.number {
		return corruptError("row %d comes after row %d", n, r.number)
	}
	return r.setNumber(n)
}

func (r *rowReader) setNumber(n int64) error {
	if n > maxRows {
		return corruptError("row %d is beyond the last row of a sheet", n)
	}
	r.number, r.column = n, -1
	r.build.Begin(n)
	r.digits = strconv.AppendInt(r.digits[:0], n, 10)
	if r.relativeNumber {
		r.digits = append(r.digits[:0], '<') // a character that no attribute contains
	}
	return nil
}
