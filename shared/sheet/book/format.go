package book

// Format is what a number format makes of a number.
type Format uint8

// The formats that matter to a reader.
const (
	Plain    Format = iota // a number
	DateOnly               // shows a day, and no time of the day
	TimeOnly               // shows a time of the day, and no day
	DateTime               // shows both
	Elapsed                // shows a duration, as in [h]:mm
)

// IsDate reports whether the format shows a day, a time or a duration.
func (f Format) IsDate() bool { return f > Plain }

// Style is what a cell's format makes of a number.
type Style struct {
	Format
	Mask *Mask // nil where the number is shown as numbers are
}

// BuiltinFormat is the format behind a number format's id without a code of its own
// (ECMA-376-1, 18.8.30). 27–36 and 50–58 are the dates and times of the East
// Asian editions; elsewhere they are not in use.
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

// ParseFormat reads a number format's code, as in `[$-409]d/m/yyyy h:mm;@`.
// For dates only its first section counts, the one for positive numbers.
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
			i++ // the next character is shown, or is a width, or fills
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

// classifyFormat weighs the letters found. m alone is a month; next to h or s only, it
// is minutes.
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

// literalEnd is where the quoted text that begins at i ends.
func literalEnd(code string, i int) int {
	for i++; i < len(code) && code[i] != '"'; i++ {
	}
	return i
}

// bracketEnd is where the bracket that begins at i ends.
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

// amPMLength is the length of the mark for the halves of the day, if rest begins
// with one.
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
