package generate

import "fmt"

// digitDate is a numeric date of 2020 in a file: two numbers, one of which is the day and one the
// month.
type digitDate struct{ first, second int }

// order returns the only possible order of the numbers; "" if both orders are possible.
func (w digitDate) order() string {
	switch {
	case w.first > 12:
		return "dmy"
	case w.second > 12:
		return "mdy"
	}
	return ""
}

// isAmbiguous reports whether the two orders give different dates.
func (w digitDate) isAmbiguous() bool { return w.order() == "" && w.first != w.second }

// iso returns the date for an order.
func (w digitDate) iso(order string) string {
	if order == "dmy" {
		return fmt.Sprintf("2020-%02d-%02d", w.second, w.first)
	}
	return fmt.Sprintf("2020-%02d-%02d", w.first, w.second)
}

// dateCell returns a cell of a date column; most cells have the order of the column. Its value is
// determined once all cells of the column exist: see resolveDates.
func (g *generator) dateCell(c Column) Cell {
	day, month := 1+g.IntN(28), 1+g.IntN(12)
	iso := fmt.Sprintf("2020-%02d-%02d", month, day)
	switch {
	case g.chance(4):
		return Cell{Raw: pickOne(g, "yesterday", "30/30/2020", "2020-13-01"), Code: "CELL_DATE"}
	case g.chance(20):
		return Cell{Raw: pickOne(g, iso, fmt.Sprintf("2020/%d/%d", month, day)), Value: iso}
	case g.chance(60): // unambiguous dates are rare
		day = 1 + g.IntN(12)
	}
	w := digitDate{day, month}
	if (c.Order == "mdy") != g.chance(3) {
		w = digitDate{month, day}
	}
	return Cell{Raw: fmt.Sprintf("%02d/%02d/2020", w.first, w.second), date: &w}
}

// resolveDates determines the values of the dates in each column. The order follows from the
// cells, or else from a person if one is asked; ambiguous dates are errors.
func (g *generator) resolveDates() {
	for i := range g.Columns {
		column := &g.Columns[i]
		orders, ambiguous := make(map[string]bool), false
		for _, r := range g.Records {
			if r.Ragged == 0 && i < len(r.Cells) && r.Cells[i].date != nil {
				orders[r.Cells[i].date.order()] = true
				ambiguous = ambiguous || r.Cells[i].date.isAmbiguous()
			}
		}
		order := ""
		switch {
		case orders["dmy"] != orders["mdy"] && orders["dmy"]:
			order = "dmy"
		case orders["dmy"] != orders["mdy"]:
			order = "mdy"
		case ambiguous && !g.AutoStart && !g.WholeFile && !g.SkipDecisions:
			order, column.OrderDecided = column.Order, true
		}
		for _, r := range g.Records {
			if i < len(r.Cells) && r.Cells[i].date != nil {
				r.Cells[i].resolveDate(order)
			}
		}
	}
}

// resolveDate sets the value of a date in a column of that order; "" for an unknown order.
func (c *Cell) resolveDate(order string) {
	switch says := c.date.order(); {
	case order == "" && c.date.isAmbiguous(), order != "" && says != "" && says != order:
		c.Code = "CELL_DATE"
	case order == "":
		c.Value = c.date.iso(says)
	default:
		c.Value = c.date.iso(order)
	}
}
