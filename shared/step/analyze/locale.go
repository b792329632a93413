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

// detectLocales determines how the texts of columns are parsed: as stated, or according to all
// cells of the column. The deciding cell may be the last one, so all rows are read if any field to
// which a column is, or may be, mapped needs it.
//
// If no person is asked and cutting reads all cells anyway, cutting determines the locales
// instead: no row is processed before the whole file is cut.
//
// The values of undecided columns are counted along with it (see columnmatch.UnusedColumns), or
// else by cutting. All rows are read for that only if the file is not cut.
func (f *findings) detectLocales(d *entity.Declaration, columns []job.MappedColumn, j *job.Job) error {
	columnmatch.ApplyStatedLocales(columns, f.dialect, &f.options)
	open := rows.UnknownLocales(d, columns)
	switch {
	case !oneShot(j):
		open = plainPlaces(columns)
	case len(d.MissingFields(job.TargetFields(columns))) > 0:
		return nil // none of its rows will be processed
	case f.dialect.DateOrder != "" && f.dialect.DecimalMark != "", j.AutoStart && !j.WholeFile && !f.dialect.RangeReadable():
		open = nil
	}
	undecided := slices.ContainsFunc(columns, func(c job.MappedColumn) bool { return c.Status == job.Unresolved })
	if len(open) == 0 && !(undecided && j.WholeFile) {
		return nil
	}
	f.locales.OnlyColumns(rows.ColumnPlaces(columns, open))
	for f.next() {
		f.locales.Add(f.rows.Row())
		if undecided || !oneShot(j) {
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

// surveyedLocale returns the locale of a column: stated properties stay, others are surveyed.
func surveyedLocale(before, found sheet.Locale) sheet.Locale {
	if before.DateOrder.Evidence == sheet.Stated {
		found.DateOrder.SetStated(before.DateOrder.Value)
	}
	if before.DecimalMark.Evidence == sheet.Stated {
		found.DecimalMark.SetStated(before.DecimalMark.Value)
	}
	return found
}

// unknownColumns returns warnings about columns in the options that the file does not have.
func (f *findings) unknownColumns() []string {
	var lines []string
	headers := document.NewHeaders(f.dialect.Header)
	for _, column := range f.options.Columns {
		if _, found := headers.Place(column.Column); !found {
			lines = append(lines, string(problem.ColumnUnknown)+": "+column.Column)
		}
	}
	return lines
}

// needsLocales reports whether the locale of a column must be stated, or a column mixes date orders.
func needsLocales(d *entity.Declaration, columns []job.MappedColumn) bool {
	return slices.ContainsFunc(rows.UncertainColumns(d, columns), func(u rows.UncertainColumn) bool {
		return u.Finding.IsUndecided() || u.Finding.MixesOrders() && u.Finding.Evidence != sheet.Stated
	})
}
