package value

// dateParser parses a date and a time from text.
type dateParser struct {
	rest  []byte
	order string // order of day, month and year; "" if undecided, or contradictory

	civilDay
	micros    int64    // time since midnight UTC
	zoned     bool     // whether the text contains a zone
	numerals  numerals // numbers of a date that requires an order
	ambiguous bool     // whether the date is ambiguous without an order
}

// date parses the date at the beginning.
func (p *dateParser) date() bool {
	first, n := p.number(8)
	switch {
	case n == 8: // 20260131
		p.civilDay = civilDay{first / 10000, first / 100 % 100, first % 100}
		return p.isValid()
	case n == 0 || n > 4:
		return n == 0 && p.monthFirst() && p.isValid()
	case n <= 2 && p.dayThenName(first):
		return p.isValid()
	}
	return p.digits(first, n) && p.isValid()
}

// digits parses a date of three numbers with the same separator between them.
func (p *dateParser) digits(first, n int) bool {
	sep, ok := p.separator()
	if !ok {
		return false
	}
	second, m := p.number(2)
	if m == 0 || !p.skip(sep) {
		return false
	}
	third, k := p.number(4)
	switch {
	case n == 4 && (k == 1 || k == 2):
		p.civilDay = civilDay{first, second, third}
		return true
	case n == 4 || k != 2 && k != 4:
		return false
	}
	p.numerals = numerals{first, second, third, k == 2, sep == '.'}
	return p.assignOrder()
}

// assignOrder assigns day, month and year by the order of the column, or by their possible
// values.
func (p *dateParser) assignOrder() bool {
	for _, o := range orderNames {
		if p.order == o.name && (o.order != ymd || p.numerals.short) {
			p.civilDay = p.numerals.inOrder(o.order)
			return true
		}
	}
	found, _ := p.numerals.plausibleOrders()
	if p.order == contradictory {
		found = p.numerals.possibleOrders()
	}
	days, count := p.numerals.days(found)
	p.civilDay, p.ambiguous = days[0], count > 1
	return count == 1
}

// dayThenName parses the text after the day in 31 Jan 2026 or 31-Jan-26.
func (p *dateParser) dayThenName(day int) bool {
	start := p.rest
	sep, ok := p.separator()
	p.skipOf()
	if p.month = p.name(); !ok || p.month == 0 {
		p.rest = start
		return false
	}
	if !p.afterName(sep) {
		return false
	}
	p.day = day
	p.skipOf()
	return p.namedYear()
}

// monthFirst parses January 31, 2026.
func (p *dateParser) monthFirst() bool {
	if p.month = p.name(); p.month == 0 {
		return false
	}
	if !p.afterName('-') {
		return false
	}
	day, n := p.number(2)
	p.day = day
	p.skip(',')
	return n > 0 && (p.skip(' ') || p.skip('-')) && p.namedYear()
}

func (p *dateParser) namedYear() bool {
	year, n := p.number(4)
	if n == 2 {
		year = century(year)
	}
	p.year = year
	return n == 2 || n == 4
}

// century adds the century to a two-digit year as spreadsheet programs do.
func century(year int) int {
	if year < 30 {
		return 2000 + year
	}
	return 1900 + year
}

// number parses up to maxDigits digits, and returns their number.
func (p *dateParser) number(maxDigits int) (value, n int) {
	for n < maxDigits && n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
		value = value*10 + int(p.rest[n]-'0')
		n++
	}
	p.rest = p.rest[n:]
	return value, n
}

func (p *dateParser) separator() (byte, bool) {
	if len(p.rest) == 0 {
		return 0, false
	}
	switch c := p.rest[0]; c {
	case '-', '/', '.', ' ':
		p.rest = p.rest[1:]
		if c == '.' {
			p.skip(' ') // 31. 1. 2026
		}
		return c, true
	}
	return 0, false
}

// skip skips c, if it comes next.
func (p *dateParser) skip(c byte) bool {
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	if c == '.' {
		p.skip(' ')
	}
	return true
}
