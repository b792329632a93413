package review

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
)

// hasLocale reports whether the decision sets how the column is read.
func (c *ColumnDecision) hasLocale() bool { return c.DateOrder != "" || c.DecimalMark != "" }

// applyLocales validates the decisions about how columns are read, and applies those for all
// columns. It reports whether there are any of the latter.
func applyLocales(columns []job.MappedColumn, decisions []ColumnDecision) (all bool, err error) {
	for _, a := range decisions {
		switch {
		case a.DateOrder != "" && !sheet.IsDateOrder(a.DateOrder):
			return false, invalidDecision("The date order must be dmy, mdy or ymd.")
		case a.DecimalMark != "" && !sheet.IsDecimalMark(a.DecimalMark):
			return false, invalidDecision("The decimal mark must be a point or a comma.")
		case a.ID != 0:
			continue
		case all || !a.hasLocale() || a.Confirm || a.TargetField != "" || a.Ignore:
			return false, invalidDecision("Without an id, set dateOrder or decimalMark once for all columns.")
		}
		all = true
		for i := range columns {
			columns[i].Locale.DateOrder.SetStated(a.DateOrder)
			columns[i].Locale.DecimalMark.SetStated(a.DecimalMark)
		}
	}
	return all, nil
}
