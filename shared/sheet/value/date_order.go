package value

import (
	"slices"

	"github.com/loadbay/loadbay/shared/sheet"
)

// dateOrders is a set of orders of day, month and year.
type dateOrders uint8

const (
	dmy dateOrders = 1 << iota
	mdy
	ymd
)

// orderNames are the orders that a column can have, each with its name.
var orderNames = [...]struct {
	order dateOrders
	name  string
}{{dmy, sheet.DayFirst}, {mdy, sheet.MonthFirst}, {ymd, sheet.YearFirst}}

// contradictory, in the place of an order, says that the cells of the column
// contradict each other: no convention holds there.
const contradictory = "contradictory"

// civilDay is a day of the calendar, if it is valid.
type civilDay struct{ year, month, day int }

// numerals are the three numbers of a date that does not begin with a year of
// four digits.
type numerals struct {
	first, second, third int
	short                bool // whether the year has two digits
	points               bool // whether points stand between them
}

// inOrder is the day in one of the orders.
func (n numerals) inOrder(o dateOrders) civilDay {
	last := n.third
	if n.short {
		last = century(last)
	}
	switch o {
	case dmy:
		return civilDay{last, n.second, n.first}
	case mdy:
		return civilDay{last, n.first, n.second}
	}
	return civilDay{century(n.first), n.second, n.third}
}

// possibleOrders are the orders in which the numbers are a day. A year of four digits
// stands where it stands.
func (n numerals) possibleOrders() (found dateOrders) {
	for _, o := range orderNames {
		if (o.order != ymd || n.short) && n.inOrder(o.order).isValid() {
			found |= o.order
		}
	}
	return found
}

// plausibleOrders are the orders in which the numbers may be meant where nobody states one:
// with points between them the day stands first in practically all countries that
// write points, so that the other orders are only considered where it cannot.
func (n numerals) plausibleOrders() (found dateOrders, byConvention bool) {
	found = n.possibleOrders()
	if n.points && found&dmy != 0 {
		return dmy, n.isAmbiguous(found)
	}
	return found, false
}

// days are the different days that the numbers are in those orders; none beyond the
// count.
func (n numerals) days(in dateOrders) (found [len(orderNames)]civilDay, count int) {
	for _, o := range orderNames {
		if in&o.order == 0 {
			continue
		}
		if d := n.inOrder(o.order); !slices.Contains(found[:count], d) {
			found[count] = d
			count++
		}
	}
	return found, count
}

// isAmbiguous reports whether the numbers are different days in those orders.
func (n numerals) isAmbiguous(in dateOrders) bool {
	_, count := n.days(in)
	return count > 1
}

// isValid reports whether the calendar has the day.
func (d civilDay) isValid() bool {
	return d.year >= 1 && d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= daysIn(d.year, d.month)
}
