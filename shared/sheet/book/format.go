package book

// Format is the kind of value that a number format displays.
type Format uint8

// The formats that a reader distinguishes.
const (
	Plain    Format = iota // a number
	DateOnly               // a date without a time of day
	TimeOnly               // a time of day without a date
	DateTime               // a date with a time of day
	Elapsed                // a duration, as in [h]:mm
)

// IsDate reports whether the format displays a date, a time or a duration.
func (f Format) IsDate() bool { return f > Plain }

// Style is the interpretation of a cell's number format.
type Style struct {
	Format
	Mask *Mask // nil for the default display of numbers
}

// BuiltinFormat returns the style of a built-in number format id without a format code
// (ECMA-376-1, 18.8.30). 27–36 and 50–58 are the date and time formats of the East Asian
// editions; other editions do not use them.
func BuiltinFormat(id int) Style {
	switch {
	case id >= 14 && id <= 17, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 54, id == 57, id == 58:
		return Style{Format: DateOnly}
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 45, id == 47, id == 55, id == 56:
		return Style{Format: TimeOnly}
	case id == 22:
		return Style{Format: DateTime}
	case id == 46:
		return Style{Format: Elapsed}
	}
	return Style{}
}

// ParseFormat parses a number format code, as in `[$-409]d/m/yyyy h:mm;@`. For dates, only its
// first section counts, the one for positive numbers.
func ParseFormat(code string) Style {
	if m := parseMask(code); m != nil {
		return Style{Mask: m}
	}
	return Style{Format: parseDate(code)}
}

func parseDate(code string) Format {
	var day, clock, months bool
	for i := 0; i < len(code); i++ {
		switch c := code[i] | 0x20; {
		case code[i] == ';':
			return classifyFormat(day, clock, months)
		case code[i] == '"':
			i = literalEnd(code, i)
		case code[i] == '\\', code[i] == '_', code[i] == '*':
			i++ // the next character is a literal, a width or a fill character
		case code[i] == '[':
			end := bracketEnd(code, i)
			if isElapsed(code[i+1 : end]) {
				return Elapsed
			}
			i = end
		case c == 'a' && amPMLength(code[i:]) > 0:
			clock = true
			i += amPMLength(code[i:]) - 1
		case c == 'g' && isGeneral(code[i:]):
			i += len("general") - 1
		case c == 'd', c == 'y', c == 'e' && !isExponent(code, i):
			day = true
		case c == 'h', c == 's':
			clock = true
		case c == 'm':
			months = true
		}
	}
	return classifyFormat(day, clock, months)
}

// classifyFormat classifies the letters of a format. A single m is a month; next to h or s only,
// it is minutes.
func classifyFormat(day, clock, months bool) Format {
	switch {
	case day && clock:
		return DateTime
	case clock:
		return TimeOnly
	case day || months:
		return DateOnly
	}
	return Plain
}

// literalEnd returns the end of the quoted text that begins at i.
func literalEnd(code string, i int) int {
	for i++; i < len(code) && code[i] != '"'; i++ {
	}
	return i
}

// bracketEnd returns the end of the bracket that begins at i.
func bracketEnd(code string, i int) int {
	for i++; i < len(code) && code[i] != ']'; i++ {
	}
	return i
}

// isElapsed distinguishes [h], [mm], [ss] from colours, conditions and locales.
func isElapsed(code string) bool {
	if code == "" {
		return false
	}
	c := code[0] | 0x20
	if c != 'h' && c != 'm' && c != 's' {
		return false
	}
	for i := range len(code) {
		if code[i]|0x20 != c {
			return false
		}
	}
	return true
}

// amPMLength returns the length of the AM/PM marker at the beginning of rest, or 0.
func amPMLength(rest string) int {
	for _, mark := range []string{"am/pm", "a/p"} {
		if hasPrefixFold(rest, mark) {
			return len(mark)
		}
	}
	return 0
}

func isGeneral(rest string) bool { return hasPrefixFold(rest, "general") }

// hasPrefixFold reports whether s begins with the lower-case prefix, in any case.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if s[i] != prefix[i] && s[i]|0x20 != prefix[i] {
			return false
		}
	}
	return true
}

// isExponent distinguishes the e of 0.00E+00 from the e of a year.
func isExponent(code string, i int) bool {
	return i+1 < len(code) && (code[i+1] == '+' || code[i+1] == '-')
}
