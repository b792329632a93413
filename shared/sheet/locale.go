package sheet

// The values of Dialect.DateOrder: which of day, month and year stands first in
// a date of digits.
const (
	DayFirst   = "dmy"
	MonthFirst = "mdy"
	YearFirst  = "ymd"
)

// DateOrder infers from dates such as 31/01/2026 whether the file puts the day or
// the month first; it is empty where no date decides, or dates contradict each
// other. A date with a four-digit year in front needs no order.
func (s *Sample) DateOrder() string {
	var day, month bool
	for i := range s.rows {
		for _, c := range s.rows[i].Cells {
			if c.Kind != Text {
				continue
			}
			a, b, ok := digitDate(c.Bytes)
			day = day || ok && a > 12 && b <= 12
			month = month || ok && a <= 12 && b > 12
		}
	}
	switch {
	case day && !month:
		return DayFirst
	case month && !day:
		return MonthFirst
	}
	return ""
}

// digitDate reads the first two numbers of a date such as 31/1/26 or
// 01-31-2026 10:20; it is false for anything else, for numbers above 31 and for
// dotted dates, which are day first everywhere.
func digitDate(b []byte) (first, second int, ok bool) {
	first, b = leadingInt(b)
	if len(b) == 0 || b[0] != '/' && b[0] != '-' {
		return 0, 0, false
	}
	sep := b[0]
	second, b = leadingInt(b[1:])
	if len(b) == 0 || b[0] != sep {
		return 0, 0, false
	}
	before := len(b) - 1
	_, b = leadingInt(b[1:])
	year := before - len(b)
	if year != 2 && year != 4 || len(b) > 0 && b[0] != ' ' && b[0] != 'T' && b[0] != ',' {
		return 0, 0, false
	}
	valid := first >= 1 && first <= 31 && second >= 1 && second <= 31
	return first, second, valid
}

// leadingInt reads up to four digits.
func leadingInt(b []byte) (n int, rest []byte) {
	i := 0
	for i < len(b) && i < 4 && b[i] >= '0' && b[i] <= '9' {
		n = n*10 + int(b[i]-'0')
		i++
	}
	return n, b[i:]
}
