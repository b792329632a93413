package book

import (
	"cmp"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Open streams the rows after the header of the sheet that d names.
//
// Rows that are missing from the file or have no value count as blank, up to the last row with
// a value; formatted rows below it do not count.
func Open(w Workbook, d *sheet.Dialect) (*Rows, error) {
	index := d.SheetIndex
	if d.SheetName != "" {
		index = findSheetByName(w.Sheets(), d.SheetName)
	}
	if index < 0 || index >= len(w.Sheets()) || !w.Sheets()[index].Grid {
		return nil, problem.New(problem.SheetNotFound, "The sheet at index %d is no longer in the workbook.", d.SheetIndex)
	}
	grid, err := w.Grid(index)
	if err != nil {
		return nil, err
	}
	return &Rows{grid: grid, header: d.HeaderRow, last: d.HeaderRow}, nil
}

// Rows implements sheet.Rows.
type Rows struct {
	grid   Grid
	header int64
	last   int64 // number of the last row read
	rows   int64
	hidden int64 // hidden rows
	first  int64 // number of the first of them
}

// Next advances to the next row with a value after the header.
func (r *Rows) Next() bool {
	for r.grid.Next() {
		number := r.grid.Row().Number
		if number <= r.header {
			continue
		}
		r.last = number
		r.rows++
		if r.grid.Row().Hidden {
			r.hidden++
			r.first = cmp.Or(r.first, number)
		}
		return true
	}
	return false
}

// Row returns the row that Next has read.
func (r *Rows) Row() *sheet.Row { return r.grid.Row() }

// Err returns the error that ended the stream early.
func (r *Rows) Err() error { return r.grid.Err() }

// Counts returns the counts of the rows read so far. All rows up to the header count as header.
func (r *Rows) Counts() sheet.Counts {
	merged, first := r.grid.Layout().mergedBetween(r.header, r.last)
	return sheet.Counts{
		Lines:  r.last,
		Rows:   r.rows,
		Blank:  r.last - r.header - r.rows,
		Header: r.header,
		Layout: sheet.Layout{HiddenRows: r.hidden, FirstHidden: r.first, Merged: merged, FirstMerged: first},
	}
}

// Close releases the sheet's resources.
func (r *Rows) Close() error { return r.grid.Close() }
