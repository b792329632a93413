package rows

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// LocaleProperty is a property of a column's locale that determines how values of a field are
// parsed.
type LocaleProperty struct {
	Option   string       // name of the reading option
	Required problem.Code // code if the property must be stated
	Warning  problem.Code // code if the property is uncertain
	finding  func(*sheet.Locale) *sheet.Finding
}

// Finding returns the finding about the property.
func (p *LocaleProperty) Finding(l *sheet.Locale) *sheet.Finding { return p.finding(l) }

// kindLocaleProperty returns the property that is relevant for fields of the kind, or nil.
func kindLocaleProperty(kind entity.Kind) *LocaleProperty {
	switch kind {
	case entity.Date, entity.Timestamp:
		return &LocaleProperty{"dateOrder", problem.DateOrderRequired, problem.DateOrderUncertain, func(l *sheet.Locale) *sheet.Finding { return &l.DateOrder }}
	case entity.Integer, entity.Decimal:
		return &LocaleProperty{"decimalMark", problem.DecimalMarkRequired, problem.DecimalMarkUncertain, func(l *sheet.Locale) *sheet.Finding { return &l.DecimalMark }}
	}
	return nil
}

// localePropertyOf returns the property that is relevant for a mapped column, or nil.
func localePropertyOf(d *entity.Declaration, c *job.MappedColumn) *LocaleProperty {
	if field := d.FieldIndex(c.TargetField); field >= 0 {
		return kindLocaleProperty(d.Fields[field].Kind)
	}
	return nil
}

// UnknownLocales returns the indexes of the columns with a relevant property that is neither stated
// nor determined. Composed columns are excluded: see LocaleSurvey.
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

// ColumnPlaces returns the positions of columns in the file.
func ColumnPlaces(columns []job.MappedColumn, of []int) []int {
	places := make([]int, len(of))
	for i, c := range of {
		places[i] = columns[c].ColumnIndex
	}
	return places
}

// UncertainColumn is a column with cells that do not determine how all of them are parsed.
type UncertainColumn struct {
	*LocaleProperty
	Column  *job.MappedColumn
	Finding *sheet.Finding
}

// UncertainColumns returns the columns with an uncertain relevant property, in file order. An
// undecided finding is an error unless the property is stated.
func UncertainColumns(d *entity.Declaration, columns []job.MappedColumn) (found []UncertainColumn) {
	for i := range columns {
		c := &columns[i]
		p := localePropertyOf(d, c)
		if p == nil {
			continue
		}
		f := p.Finding(&c.Locale)
		if f.Evidence == sheet.Contradictory || f.MixesOrders() || f.Ambiguous > 0 && f.Evidence != sheet.Stated && f.Evidence != sheet.Assumed {
			found = append(found, UncertainColumn{p, c, f})
		}
	}
	return found
}

// LocaleWarnings returns a warning, beginning with its code, for each column that is parsed with
// some uncertainty. If a person is asked, the questions are omitted.
func LocaleWarnings(d *entity.Declaration, columns []job.MappedColumn, asked bool) (lines []string) {
	for _, u := range UncertainColumns(d, columns) {
		var what string
		switch {
		case u.Finding.MixesOrders() && u.Finding.Evidence == sheet.Stated:
			what = fmt.Sprintf("date orders are mixed: %s; the order %s was set", MixedOrders(u.Finding), u.Finding.Value)
		case u.Finding.MixesOrders():
			what = "date orders are mixed: " + MixedOrders(u.Finding)
		case u.Finding.Evidence == sheet.Contradictory:
			what = fmt.Sprintf("cells contradict each other; ambiguous cells: %d", u.Finding.Ambiguous)
		case u.Finding.Evidence == sheet.Conventional:
			what = fmt.Sprintf("ambiguous cells such as 1.234, which were read with a decimal point: %d", u.Finding.Ambiguous)
		case !asked:
			what = fmt.Sprintf("ambiguous cells: %d", u.Finding.Ambiguous)
		default:
			continue
		}
		if u.Finding.Evidence != sheet.Stated {
			what += "; set " + u.Option
		}
		lines = append(lines, fmt.Sprintf("%s: column %.60q: %s", u.Warning, u.Column.Header, what))
	}
	return lines
}

// MixedOrders describes a column that mixes date orders by its cells: "3 day first, 5 month first, 2
// ambiguous".
func MixedOrders(f *sheet.Finding) string {
	var parts []string
	for _, cells := range []struct {
		n    int64
		what string
	}{{f.ByOrder.DayFirst, "day first"}, {f.ByOrder.MonthFirst, "month first"}, {f.ByOrder.YearFirst, "year first"}, {f.Ambiguous, "ambiguous"}} {
		if cells.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", cells.n, cells.what))
		}
	}
	return strings.Join(parts, ", ")
}
