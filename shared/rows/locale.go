package rows

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// LocaleProperty is a part of a column's locale that decides how values of a field are
// read.
type LocaleProperty struct {
	Option   string       // by which callers state it
	Required problem.Code // where it must be stated
	Warning  problem.Code // where it was not certain
	finding  func(*sheet.Locale) *sheet.Finding
}

// Finding is what is known of it.
func (p *LocaleProperty) Finding(l *sheet.Locale) *sheet.Finding { return p.finding(l) }

// LocalePropertyOf is the property that matters for fields of the kind, or nil.
func LocalePropertyOf(kind entity.Kind) *LocaleProperty {
	switch kind {
	case entity.Date, entity.Timestamp:
		return &LocaleProperty{"dateOrder", problem.DateOrderRequired, problem.DateOrderUncertain, func(l *sheet.Locale) *sheet.Finding { return &l.DateOrder }}
	case entity.Integer, entity.Decimal:
		return &LocaleProperty{"decimalMark", problem.DecimalMarkRequired, problem.DecimalMarkUncertain, func(l *sheet.Locale) *sheet.Finding { return &l.DecimalMark }}
	}
	return nil
}

// localePropertyOf is the property that matters for a column as it is mapped, or nil.
func localePropertyOf(d *entity.Declaration, c *job.MappedColumn) *LocaleProperty {
	if field := d.FieldIndex(c.TargetField); field >= 0 {
		return LocalePropertyOf(d.Fields[field].Kind)
	}
	return nil
}

// UnknownLocales are the indexes of the columns of fields for which it matters, and of
// which it is neither stated nor found out how they are read. What is composed is
// looked at by itself: see Survey.
func UnknownLocales(d *entity.Declaration, columns []job.MappedColumn) (indexes []int) {
	for i := range columns {
		if !columns[i].IsComposed() && isLocaleUnknown(d, &columns[i]) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

func isLocaleUnknown(d *entity.Declaration, c *job.MappedColumn) bool {
	p := localePropertyOf(d, c)
	return p != nil && p.Finding(&c.Locale).Evidence == ""
}

// ColumnPlaces are where columns stand in the file.
func ColumnPlaces(columns []job.MappedColumn, of []int) []int {
	places := make([]int, len(of))
	for i, c := range of {
		places[i] = columns[c].ColumnIndex
	}
	return places
}

// UncertainColumn is a column whose own cells do not say how all of them are read.
type UncertainColumn struct {
	*LocaleProperty
	Column  *job.MappedColumn
	Finding *sheet.Finding
}

// UncertainColumns are the columns of fields for which it matters, in file order.
// Those whose finding is open are errors unless somebody states it.
func UncertainColumns(d *entity.Declaration, columns []job.MappedColumn) (found []UncertainColumn) {
	for i := range columns {
		c := &columns[i]
		p := localePropertyOf(d, c)
		if p == nil {
			continue
		}
		f := p.Finding(&c.Locale)
		if f.Evidence == sheet.Contradictory || f.Ambiguous > 0 && f.Evidence != sheet.Stated && f.Evidence != sheet.Assumed {
			found = append(found, UncertainColumn{p, c, f})
		}
	}
	return found
}

// LocaleWarnings says which columns are read with some uncertainty, each line
// beginning with a code. Where somebody is asked, what is asked is no warning.
func LocaleWarnings(d *entity.Declaration, columns []job.MappedColumn, asked bool) (lines []string) {
	for _, u := range UncertainColumns(d, columns) {
		var what string
		switch {
		case u.Finding.Evidence == sheet.Contradictory:
			what = fmt.Sprintf("its cells contradict each other, and %d can be read in several ways", u.Finding.Ambiguous)
		case u.Finding.Evidence == sheet.Conventional:
			what = fmt.Sprintf("%d cells such as 1.234 are read with a decimal point, and no cell decides", u.Finding.Ambiguous)
		case !asked:
			what = fmt.Sprintf("%d cells can be read in several ways, and no cell decides", u.Finding.Ambiguous)
		default:
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: column %.60q: %s; state %s", u.Warning, u.Column.Header, what, u.Option))
	}
	return lines
}
