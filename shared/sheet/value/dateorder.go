package value

import (
	"slices"

	"github.com/loadbay/loadbay/shared/sheet"
)

// orders is a set of orders of day, month and year.
type orders uint8

const (
	dmy orders = 1 << iota
	mdy
	ymd
)

// orderNames are the orders that a column can have, each with its name.
var orderNames = [...]struct {
	order orders
	name  string
}{{dmy, sheet.DayFirst}, {mdy, sheet.MonthFirst}, {ymd, sheet.YearFirst}}

// contradictory, in the place of an order, says that the cells of the column
// contradict each other: no convention holds there.
const contradictory = "contradictory"

// civil is a day of the calendar, if it is valid.
type civil struct{ year, month, day int }

// numerals are the three numbers of a date that does not begin with a year of
// four digits.
type numerals struct {
	first, second, third int
	short                bool // whether the year has two digits
	points               bool // whether points stand between them
}

// in is the day in one of the orders.
func (n numerals) in(o orders) civil {
	last := n.third
	if n.short {
		last = century(last)
	}
	switch o {
	case dmy:
		return civil{last, n.second, n.first}
	case mdy:
		return civil{last, n.first, n.second}
	}
	return civil{century(n.first), n.second, n.third}
}

// possible are the orders in which the numbers are a day. A year of four digits
// stands where it stands.
func (n numerals) possible() (found orders) {
	for _, o := range orderNames {
		if (o.order != ymd || n.short) && n.in(o.order).valid() {
			found |= o.order
		}
	}
	return found
}

// meant are the orders in which the numbers may be meant where nobody states one:
// with points between them the day stands first in practically all countries that
// write points, so that the other orders are only considered where it cannot.
func (n numerals) meant() (found orders, byConvention bool) {
	found = n.possible()
	if n.points && found&dmy != 0 {
		return dmy, n.several(found)
	}
	return found, false
}

// days are the different days that the numbers are in those orders; none beyond the
// count.
func (n numerals) days(in orders) (found [len(orderNames)]civil, count int) {
	for _, o := range orderNames {
		if in&o.order == 0 {
			continue
		}
		if d := n.in(o.order); !slices.Contains(found[:count], d) {
			found[count] = d
			count++
		}
	}
	return found, count
}

// several reports whether the numbers are different days in those orders.
func (n numerals) several(in orders) bool {
	_, count := n.days(in)
	return count > 1
}

// valid reports whether the calendar has the day.
func (d civil) valid() bool {
	return d.year >= 1 && d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= daysIn(d.year, d.month)
}
