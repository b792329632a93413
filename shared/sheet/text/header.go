package text

import (
	"context"
	"fmt"
	"math"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// detectHeader samples the first rows and finds the header among them.
func detectHeader(ctx context.Context, d *sheet.Dialect, src sheet.Source, opt sheet.Options, lim sheet.Limits) error {
	s, err := newSection(src, d, int64(d.BOM), lim)
	if err != nil {
		return err
	}
	split := newTable(s.grammar, nil, 0, lim)
	s.measure, s.quoting.strict = split, true
	r := &rows{ctx: ctx, scan: s, split: split, limit: lim.Rows}
	var sample sheet.Sample
	places := make(map[int64]rowPlace) // by row number
	for more := true; more && r.Next(); more = sample.Add(&r.row) {
		places[r.row.Number] = rowPlace{end: s.offset(), hasExcess: split.hasExcess}
	}
	switch {
	case r.err != nil:
		return r.err
	case len(sample.Rows()) == 0:
		return emptyFileError()
	}
	h, ok := sample.Header(opt.HeaderRow, opt.HeaderRows)
	if !ok {
		return problem.New(problem.OptionInvalid, "The header row %d is blank or too far down.", opt.HeaderRow).
			With("headerRow", problem.OptionInvalid, "Select a row near the top that is not blank.")
	}
	if err := sample.CheckHeader(h, lim); err != nil {
		return err
	}
	found := places[h.Row]
	if found.hasExcess {
		return problem.New(problem.TooManyColumns, "The header in row %d has more than %d columns.", h.Row, lim.Columns)
	}
	d.SetHeader(h)
	setRowCells(d, sample.Rows())
	if d.RangeReadable() {
		d.DataOffset = int64(d.BOM) + found.end
	}
	return nil
}

// rowPlace contains the data about a sampled row besides its cells.
type rowPlace struct {
	end       int64 // offset of its end
	hasExcess bool  // whether it exceeds the maximum number of columns
}

// setRowCells sets the maximum number of cells per row: those of the header, and the empty cells
// that all rows have beyond it. Such a cell in only some rows may be the second half of another
// one. One row alone does not show what all rows have.
func setRowCells(d *sheet.Dialect, sampled []sheet.Row) {
	d.RowCells = len(d.Header)
	rows, least := 0, math.MaxInt
	for i := range sampled {
		if r := &sampled[i]; r.Number > d.HeaderRow && (r.ErrorCode == "" || r.ErrorCode == string(problem.RowWidth)) {
			rows, least = rows+1, min(least, len(r.Cells))
		}
	}
	if rows > 1 && least > d.RowCells {
		d.RowCells = least
		d.Warnings = append(d.Warnings, fmt.Sprintf("%s: every row ends with %d empty cells more than the header", problem.RowsWider, least-len(d.Header)))
	}
}
