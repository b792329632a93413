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
	return &Rows{grid: grid, header: d.HeaderRow, last: d.HeaderRow, width: len(d.Header)}, nil
}

// Rows implements sheet.Rows.
type Rows struct {
	grid   Grid
	header int64
	last   int64 // number of the last row read
	rows   int64
	width  int // columns of the header
	layout sheet.Layout
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
		r.observe(r.grid.Row())
		return true
	}
	return false
}

// observe adds a row to the layout.
func (r *Rows) observe(row *sheet.Row) {
	l := &r.layout
	if row.Hidden {
		l.HiddenRows++
		l.FirstHidden = cmp.Or(l.FirstHidden, row.Number)
	}
	for i := r.width; i < len(row.Cells); i++ {
		if row.Cells[i].Kind != sheet.Empty {
			l.Beyond++
			l.FirstBeyond = cmp.Or(l.FirstBeyond, row.Number)
		}
	}
}

// Row returns the row that Next has read.
func (r *Rows) Row() *sheet.Row { return r.grid.Row() }

// Err returns the error that ended the stream early.
func (r *Rows) Err() error { return r.grid.Err() }

// Counts returns the counts of the rows read so far. All rows up to the header count as header.
func (r *Rows) Counts() sheet.Counts {
	layout := r.layout
	layout.Merged, layout.FirstMerged = r.grid.Layout().mergedBetween(r.header, r.last)
	return sheet.Counts{
		Lines:  r.last,
		Rows:   r.rows,
		Blank:  r.last - r.header - r.rows,
		Header: r.header,
		Layout: layout,
	}
}

// Close releases the sheet's resources.
func (r *Rows) Close() error { return r.grid.Close() }
