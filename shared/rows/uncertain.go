package rows

import (
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
		field := d.FieldIndex(c.TargetField)
		if field < 0 {
			continue
		}
		p := PropertyOf(d.Fields[field].Kind)
		if p == nil {
			continue
		}
		f := p.Of(&c.Locale)
		if f.Evidence == sheet.Contradictory || f.Ambiguous > 0 && f.Evidence != sheet.Stated {
			found = append(found, Uncertain{p, c, f})
		}
	}
	return found
}
