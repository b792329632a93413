package analyze

import (
	"fmt"
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

// detectLocales finds out how the texts of columns are read: as stated, or as all
// cells of the column together say. The cell that decides may be the last one, so
// all rows are read, if any field that a column is, or may become, needs it.
//
// It is left to the cutting where nobody is asked and all cells are read by that
// anyway: no row is taken before the whole file is cut.
func (f *findings) detectLocales(d *entity.Declaration, columns []job.MappedColumn, j *job.Job) error {
	columnmatch.ApplyStatedLocales(columns, f.dialect, &f.options)
	open := rows.UnknownLocales(d, columns)
	switch {
	case !oneShot(j):
		open = plainPlaces(columns)
	case f.dialect.DateOrder != "" && f.dialect.DecimalMark != "", j.AutoStart && !j.WholeFile && !f.dialect.RangeReadable():
		return nil
	case len(d.MissingFields(job.TargetFields(columns))) > 0:
		return nil // none of its rows will be taken
	}
	if len(open) == 0 {
		return nil
	}
	f.locales.OnlyColumns(rows.ColumnPlaces(columns, open))
	for f.next() {
		f.locales.Add(f.rows.Row())
		if !oneShot(j) {
			f.addContent(f.rows.Row())
		}
	}
	if err := f.rows.Err(); err != nil {
		return fmt.Errorf("read all rows: %w", err)
	}
	f.estimate = f.rows.Counts().Rows - f.footer
	for _, i := range open {
		columns[i].Locale = surveyedLocale(columns[i].Locale, f.locales.Locale(columns[i].ColumnIndex))
	}
	return nil
}

// surveyedLocale is what the cells of a column say of it, where nobody has stated it.
func surveyedLocale(before, found sheet.Locale) sheet.Locale {
	if before.DateOrder.Evidence == sheet.Stated {
		found.DateOrder.SetStated(before.DateOrder.Value)
	}
	if before.DecimalMark.Evidence == sheet.Stated {
		found.DecimalMark.SetStated(before.DecimalMark.Value)
	}
	return found
}

// unknownColumns are warnings about columns of which something is said and which the
// file does not have.
func (f *findings) unknownColumns() []string {
	var lines []string
	headers := document.NewHeaders(f.dialect.Header)
	for _, said := range f.options.Columns {
		if _, found := headers.Place(said.Column); !found {
			lines = append(lines, string(problem.ColumnUnknown)+": "+said.Column)
		}
	}
	return lines
}

// needsLocales reports whether somebody must state how a column is read.
func needsLocales(d *entity.Declaration, columns []job.MappedColumn) bool {
	return slices.ContainsFunc(rows.UncertainColumns(d, columns), func(u rows.UncertainColumn) bool { return u.Finding.IsUndecided() })
}
