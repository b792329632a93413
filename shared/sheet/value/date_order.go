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

// orderNames are the possible orders of a column, with their names.
var orderNames = [...]struct {
	order dateOrders
	name  string
}{{dmy, sheet.DayFirst}, {mdy, sheet.MonthFirst}, {ymd, sheet.YearFirst}}

// contradictory is used instead of an order if the cells of the column contradict each other, so
// that no convention applies.
const contradictory = "contradictory"

// civilDay is a calendar date; see isValid.
type civilDay struct{ year, month, day int }

// numerals are the three numbers of a date that does not begin with a four-digit year.
type numerals struct {
	first, second, third int
	short                bool // whether the year has two digits
	points               bool // whether they are separated by points
}

// inOrder returns the date in one of the orders.
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

// possibleOrders returns the orders in which the numbers are a valid date. The position of a
// four-digit year is fixed.
func (n numerals) possibleOrders() (found dateOrders) {
	for _, o := range orderNames {
		if (o.order != ymd || n.short) && n.inOrder(o.order).isValid() {
			found |= o.order
		}
	}
	return found
}

// plausibleOrders returns the likely orders of the numbers if none is stated: practically all
// countries that write dates with points put the day first, so that other orders are only
// considered if that is invalid.
func (n numerals) plausibleOrders() (found dateOrders, byConvention bool) {
	found = n.possibleOrders()
	if n.points && found&dmy != 0 {
		return dmy, n.isAmbiguous(found)
	}
	return found, false
}

// days returns the distinct dates of the numbers in those orders; only the first count are set.
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

// isAmbiguous reports whether the numbers are different dates in those orders.
func (n numerals) isAmbiguous(in dateOrders) bool {
	_, count := n.days(in)
	return count > 1
}

// isValid reports whether the date exists.
func (d civilDay) isValid() bool {
	return d.year >= 1 && d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= daysIn(d.year, d.month)
}
