package text

import (
	"context"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// detectHeader samples the first rows, finds the header among them, and tells
// the locale from them.
func detectHeader(ctx context.Context, d *sheet.Dialect, src sheet.Source, opt sheet.Options, lim sheet.Limits) error {
	s, err := newSection(src, d, int64(d.BOM), lim)
	if err != nil {
		return err
	}
	split := newTable(s.grammar, nil, lim)
	s.measure = split
	r := &rows{ctx: ctx, scan: s, split: split, limit: lim.Rows}
	var sample sheet.Sample
	var ends []int64 // where each row of the sample ends
	wide := make(map[int64]bool)
	for r.Next() {
		ends = append(ends, s.offset())
		if split.surplus {
			wide[r.row.Number] = true
		}
		if !sample.Add(&r.row) {
			break
		}
	}
	if r.err != nil {
		return r.err
	}
	if len(sample.Rows()) == 0 {
		return empty()
	}
	h, ok := sample.Header(opt.HeaderRow)
	if !ok {
		return problem.New(problem.OptionInvalid, "Row %d, stated as the header, is blank or too far down.", opt.HeaderRow).
			With("headerRow", problem.OptionInvalid, "Name a row near the top that is not blank.")
	}
	if wide[h.Row] {
		return problem.New(problem.TooManyColumns, "The header in row %d has more than %d columns.", h.Row, lim.Columns)
	}
	d.Header, d.HeaderRow = h.Names, h.Row
	if d.RangeReadable() {
		d.DataOffset = int64(d.BOM) + endOf(sample.Rows(), ends, h.Row)
	}
	setLocale(d, &sample)
	return nil
}

// endOf is where the row of that number ends.
func endOf(rows []sheet.Row, ends []int64, number int64) int64 {
	for i := range rows {
		if rows[i].Number == number {
			return ends[i]
		}
	}
	return 0
}

// setLocale fills in what was not stated.
func setLocale(d *sheet.Dialect, sample *sheet.Sample) {
	if d.DateOrder == "" {
		d.DateOrder = sample.DateOrder()
	}
	if d.DecimalMark == "" {
		d.DecimalMark = sample.DecimalMark(d.Delimiter)
	}
}
