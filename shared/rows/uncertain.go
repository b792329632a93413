package rows

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Property is a part of a column's locale that decides how values of a field are
// read.
type Property struct {
	Option   string       // by which callers state it
	Required problem.Code // where it must be stated
	Warning  problem.Code // where it was not certain
	of       func(*sheet.Locale) *sheet.Finding
}

// Of is what is known of it.
func (p *Property) Of(l *sheet.Locale) *sheet.Finding { return p.of(l) }

// PropertyOf is the property that matters for fields of the kind, or nil.
func PropertyOf(kind entity.Kind) *Property {
	switch kind {
	case entity.Date, entity.Timestamp:
		return &Property{"dateOrder", problem.DateOrderRequired, problem.WarnDateOrder, func(l *sheet.Locale) *sheet.Finding { return &l.DateOrder }}
	case entity.Integer, entity.Decimal:
		return &Property{"decimalMark", problem.DecimalMarkRequired, problem.WarnDecimalMark, func(l *sheet.Locale) *sheet.Finding { return &l.DecimalMark }}
	}
	return nil
}

// propertyOf is the property that matters for a column as it is mapped, or nil.
func propertyOf(d *entity.Declaration, c *job.MappedColumn) *Property {
	if field := d.FieldIndex(c.TargetField); field >= 0 {
		return PropertyOf(d.Fields[field].Kind)
	}
	return nil
}

// Unsettled are the indexes of the columns of fields for which it matters, and of
// which it is neither stated nor found out how they are read.
func Unsettled(d *entity.Declaration, columns []job.MappedColumn) (indexes []int) {
	for i := range columns {
		if p := propertyOf(d, &columns[i]); p != nil && p.Of(&columns[i].Locale).Evidence == "" {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// Places are where columns stand in the file.
func Places(columns []job.MappedColumn, of []int) []int {
	places := make([]int, len(of))
	for i, c := range of {
		places[i] = columns[c].ColumnIndex
	}
	return places
}

// Uncertain is a column whose own cells do not say how all of them are read.
type Uncertain struct {
	*Property
	Column  *job.MappedColumn
	Finding *sheet.Finding
}

// Uncertainties are the columns of fields for which it matters, in file order.
// Those whose finding is open are errors unless somebody states it.
func Uncertainties(d *entity.Declaration, columns []job.MappedColumn) (found []Uncertain) {
	for i := range columns {
		c := &columns[i]
		p := propertyOf(d, c)
		if p == nil {
			continue
		}
		f := p.Of(&c.Locale)
		if f.Evidence == sheet.Contradictory || f.Ambiguous > 0 && f.Evidence != sheet.Stated && f.Evidence != sheet.Assumed {
			found = append(found, Uncertain{p, c, f})
		}
	}
	return found
}

// LocaleWarnings says which columns are read with some uncertainty, each line
// beginning with a code. Where somebody is asked, what is asked is no warning.
func LocaleWarnings(d *entity.Declaration, columns []job.MappedColumn, asked bool) (lines []string) {
	for _, u := range Uncertainties(d, columns) {
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
