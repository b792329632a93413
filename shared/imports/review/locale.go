package review

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
)

// statesLocale reports whether anything is said of how the column is read.
func (c *Column) statesLocale() bool { return c.DateOrder != "" || c.DecimalMark != "" }

// stateLocales checks what is said of how columns are read, and applies what is said
// of all of them. It reports whether anything is.
func stateLocales(columns []job.MappedColumn, said []Column) (all bool, err error) {
	for _, a := range said {
		switch {
		case a.DateOrder != "" && !sheet.IsDateOrder(a.DateOrder):
			return false, invalid("The order of day, month and year is not one of dmy, mdy, ymd.")
		case a.DecimalMark != "" && !sheet.IsDecimalMark(a.DecimalMark):
			return false, invalid("The decimal mark is neither a point nor a comma.")
		case a.ID != 0:
			continue
		case all || !a.statesLocale() || a.Confirm || a.TargetField != "" || a.Ignore:
			return false, invalid("Without an id, say once of all columns how they are read: dateOrder, decimalMark.")
		}
		all = true
		for i := range columns {
			columns[i].Locale.DateOrder.State(a.DateOrder)
			columns[i].Locale.DecimalMark.State(a.DecimalMark)
		}
	}
	return all, nil
}
