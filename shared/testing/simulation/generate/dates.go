package generate

import "fmt"

// digitDate is a date of digits as a file has it: two numbers, of which one is the day
// and one the month, in 2020.
type digitDate struct{ first, second int }

// order is the order that the numbers can only be in; "" where they are one day in
// both, or can be two.
func (w digitDate) order() string {
	switch {
	case w.first > 12:
		return "dmy"
	case w.second > 12:
		return "mdy"
	}
	return ""
}

// isAmbiguous reports whether the numbers can be two days.
func (w digitDate) isAmbiguous() bool { return w.order() == "" && w.first != w.second }

// iso is the day in an order.
func (w digitDate) iso(order string) string {
	if order == "dmy" {
		return fmt.Sprintf("2020-%02d-%02d", w.second, w.first)
	}
	return fmt.Sprintf("2020-%02d-%02d", w.first, w.second)
}

// dateCell is a cell of a column of dates, most of them in the column's order. What it
// stands for is known once all cells of the column are: see resolveDates.
func (g *generator) dateCell(c Column) Cell {
	day, month := 1+g.IntN(28), 1+g.IntN(12)
	iso := fmt.Sprintf("2020-%02d-%02d", month, day)
	switch {
	case g.chance(4):
		return Cell{Raw: pickOne(g, "yesterday", "30/30/2020", "2020-13-01"), Code: "CELL_DATE"}
	case g.chance(20):
		return Cell{Raw: pickOne(g, iso, fmt.Sprintf("2020/%d/%d", month, day)), Value: iso}
	case g.chance(60): // what decides is rare
		day = 1 + g.IntN(12)
	}
	w := digitDate{day, month}
	if (c.Order == "mdy") != g.chance(3) {
		w = digitDate{month, day}
	}
	return Cell{Raw: fmt.Sprintf("%02d/%02d/2020", w.first, w.second), date: &w}
}

// resolveDates says what the dates of each column stand for: a column's cells decide,
// then a person if one is asked; what is left open is wrong.
func (g *generator) resolveDates() {
	for i := range g.Columns {
		column := &g.Columns[i]
		said, ambiguous := make(map[string]bool), false
		for _, r := range g.Records {
			if r.Ragged == 0 && i < len(r.Cells) && r.Cells[i].date != nil {
				said[r.Cells[i].date.order()] = true
				ambiguous = ambiguous || r.Cells[i].date.isAmbiguous()
			}
		}
		order := ""
		switch {
		case said["dmy"] != said["mdy"] && said["dmy"]:
			order = "dmy"
		case said["dmy"] != said["mdy"]:
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

// resolveDate says what a date stands for in a column of that order; "" for none.
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
