package review

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
)

// hasLocale reports whether anything is said of how the column is read.
func (c *ColumnDecision) hasLocale() bool { return c.DateOrder != "" || c.DecimalMark != "" }

// applyLocales checks what is said of how columns are read, and applies what is said
// of all of them. It reports whether anything is.
func applyLocales(columns []job.MappedColumn, said []ColumnDecision) (all bool, err error) {
	for _, a := range said {
		switch {
		case a.DateOrder != "" && !sheet.IsDateOrder(a.DateOrder):
			return false, invalidDecision("The order of day, month and year is not one of dmy, mdy, ymd.")
		case a.DecimalMark != "" && !sheet.IsDecimalMark(a.DecimalMark):
			return false, invalidDecision("The decimal mark is neither a point nor a comma.")
		case a.ID != 0:
			continue
		case all || !a.hasLocale() || a.Confirm || a.TargetField != "" || a.Ignore:
			return false, invalidDecision("Without an id, say once of all columns how they are read: dateOrder, decimalMark.")
		}
		all = true
		for i := range columns {
			columns[i].Locale.DateOrder.SetStated(a.DateOrder)
			columns[i].Locale.DecimalMark.SetStated(a.DecimalMark)
		}
	}
	return all, nil
}
