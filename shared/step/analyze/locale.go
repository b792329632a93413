package analyze

import (
	"fmt"
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
)

// settleLocales finds out how the texts of columns are read: as stated, or as all
// cells of the column together say. The cell that decides may be the last one, so
// all rows are read, if any field that a column is, or may become, needs it.
//
// It is left to the cutting where nobody is asked and all cells are read by that
// anyway: no row is taken before the whole file is cut.
func (f *findings) settleLocales(d *entity.Declaration, columns []job.MappedColumn, j *job.Job) error {
	f.state(columns)
	open := rows.Unsettled(d, columns)
	switch {
	case !oneShot(j):
		open = open[:0]
		for i := range columns {
			open = append(open, i)
		}
	case f.dialect.DateOrder != "" && f.dialect.DecimalMark != "", j.AutoStart && !j.WholeFile && !f.dialect.RangeReadable():
		return nil
	case len(d.Missing(job.MappedFields(columns))) > 0:
		return nil // none of its rows will be taken
	}
	if len(open) == 0 {
		return nil
	}
	f.locales.Limit(rows.Places(columns, open))
	for f.rows.Next() {
		f.locales.Add(f.rows.Row())
		if !oneShot(j) {
			f.addContent(f.rows.Row())
		}
	}
	if err := f.rows.Err(); err != nil {
		return fmt.Errorf("read all rows: %w", err)
	}
	f.estimate = f.rows.Counts().Rows
	for _, i := range open {
		columns[i].Locale = f.locales.Locale(columns[i].ColumnIndex)
	}
	f.state(columns)
	return nil
}

// state applies what the caller has said of all columns.
func (f *findings) state(columns []job.MappedColumn) {
	for i := range columns {
		columns[i].Locale.DateOrder.State(f.dialect.DateOrder)
		columns[i].Locale.DecimalMark.State(f.dialect.DecimalMark)
	}
}

// asksForLocales reports whether somebody must state how a column is read.
func asksForLocales(d *entity.Declaration, columns []job.MappedColumn) bool {
	return slices.ContainsFunc(rows.Uncertainties(d, columns), func(u rows.Uncertain) bool { return u.Finding.Open() })
}
