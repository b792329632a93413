package analyze

import (
	"fmt"
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

// settleLocales finds out how the texts of each column are read: as stated, or as
// all cells of the column together say. The cell that decides may be the last one,
// so all rows are read, unless no field that a column is or may become needs it, or
// none will be taken.
func (f *findings) settleLocales(d *entity.Declaration, columns []job.MappedColumn, oneShot bool) error {
	fields := d.Fields
	if oneShot {
		mapped := job.MappedFields(columns)
		fields = slices.DeleteFunc(slices.Clone(fields), func(f entity.Field) bool { return !mapped[f.Name] })
	}
	hopeless := oneShot && len(d.Missing(job.MappedFields(columns))) > 0
	if !hopeless && slices.ContainsFunc(fields, f.undecided) {
		if err := f.survey(columns); err != nil {
			return err
		}
	}
	for i := range columns {
		columns[i].Locale.DateOrder.State(f.dialect.DateOrder)
		columns[i].Locale.DecimalMark.State(f.dialect.DecimalMark)
	}
	return nil
}

// undecided reports whether values of the field are read in a way that the caller
// has not stated.
func (f *findings) undecided(field entity.Field) bool {
	p := rows.PropertyOf(field.Kind)
	if p == nil {
		return false
	}
	stated := sheet.Locale{DateOrder: sheet.Finding{Value: f.dialect.DateOrder}, DecimalMark: sheet.Finding{Value: f.dialect.DecimalMark}}
	return p.Of(&stated).Value == ""
}

// survey reads the rest of the file.
func (f *findings) survey(columns []job.MappedColumn) error {
	for f.rows.Next() {
		f.locales.Add(f.rows.Row())
	}
	if err := f.rows.Err(); err != nil {
		return fmt.Errorf("read all rows: %w", err)
	}
	f.estimate = f.rows.Counts().Rows
	for i := range columns {
		columns[i].Locale = f.locales.Locale(columns[i].ColumnIndex)
	}
	return nil
}

// asksForLocales reports whether somebody must state how a column is read.
func asksForLocales(d *entity.Declaration, columns []job.MappedColumn) bool {
	return slices.ContainsFunc(rows.Uncertainties(d, columns), func(u rows.Uncertain) bool { return u.Finding.Open() })
}

// localeWarnings says which columns are read with some uncertainty, each line
// beginning with a code. Where somebody is asked, what is asked is no warning.
func localeWarnings(d *entity.Declaration, columns []job.MappedColumn, oneShot bool) (lines []string) {
	for _, u := range rows.Uncertainties(d, columns) {
		var what string
		switch {
		case u.Finding.Evidence == sheet.Contradictory:
			what = fmt.Sprintf("its cells contradict each other, and %d can be read in several ways", u.Finding.Ambiguous)
		case u.Finding.Evidence == sheet.Conventional:
			what = fmt.Sprintf("%d cells such as 1.234 are read with a decimal point, and no cell decides", u.Finding.Ambiguous)
		case oneShot:
			what = fmt.Sprintf("%d cells can be read in several ways, and no cell decides", u.Finding.Ambiguous)
		default:
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: column %.60q: %s; state %s", u.Warning, u.Column.Header, what, u.Option))
	}
	return lines
}
