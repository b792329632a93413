package book

import (
	"bytes"
	"slices"
	"strings"
)

// Format is what a number format makes of a number. From padded on it is the
// least number of digits that a whole number is shown with, as in 00000.
type Format uint8

// The formats that matter to a reader.
const (
	Plain    Format = iota // a number
	DateOnly               // shows a day, and no time of the day
	TimeOnly               // shows a time of the day, and no day
	DateTime               // shows both
	Elapsed                // shows a duration, as in [h]:mm
)

const padded Format = 64

// maxPadded is the most digits that a format pads to: nothing with more is a code.
const maxPadded = 64

// Padded is the format that shows whole numbers with at least that many digits.
func Padded(digits int) Format { return padded + Format(min(digits, maxPadded)) }

// Date reports whether the format shows a day, a time or a duration.
func (f Format) Date() bool { return f > Plain && f < padded }

// Pad puts the zeros that the format shows before the number that begins at
// start: a postal code or a reference is 00412 to the person who sees it so.
// Only a number that is whole and not negative gets any; "412.0", as some
// programs write 412, is whole.
func (f Format) Pad(dst []byte, start int) []byte {
	if f < padded {
		return dst
	}
	number := dst[start:]
	if whole, fraction, ok := bytes.Cut(number, []byte(".")); ok && len(bytes.Trim(fraction, "0")) == 0 {
		number = whole
	}
	missing := int(f-padded) - len(number)
	if missing <= 0 || len(number) == 0 || len(bytes.Trim(number, "0123456789")) > 0 {
		return dst
	}
	return slices.Insert(dst[:start+len(number)], start, bytes.Repeat([]byte("0"), missing)...)
}

// Builtin is the format behind a number format's id without a code of its own
// (ECMA-376-1, 18.8.30). 27–36 and 50–58 are the dates and times of the East
// Asian editions; elsewhere they are not in use.
func Builtin(id int) Format {
	switch {
	case id >= 14 && id <= 17, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 54, id == 57, id == 58:
		return DateOnly
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 45, id == 47, id == 55, id == 56:
		return TimeOnly
	case id == 22:
		return DateTime
	case id == 46:
		return Elapsed
	}
	return Plain
}

// ParseFormat reads a number format's code, as in `[$-409]d/m/yyyy h:mm;@`.
// Only its first section counts, the one for positive numbers.
func ParseFormat(code string) Format {
	if zeros := zerosOnly(code); zeros > 1 {
		return Padded(zeros)
	}
	var day, clock, months bool
	for i := 0; i < len(code); i++ {
		switch c := code[i] | 0x20; {
		case code[i] == ';':
			return format(day, clock, months)
		case code[i] == '"':
			i = literal(code, i)
		case code[i] == '\\', code[i] == '_', code[i] == '*':
			i++ // the next character is shown, or is a width, or fills
		case code[i] == '[':
			end := closing(code, i)
			if elapsed(code[i+1 : end]) {
				return Elapsed
			}
			i = end
		case c == 'a' && ampm(code[i:]) > 0:
			clock = true
			i += ampm(code[i:]) - 1
		case c == 'g' && general(code[i:]):
			i += len("general") - 1
		case c == 'd', c == 'y', c == 'e' && !exponent(code, i):
			day = true
		case c == 'h', c == 's':
			clock = true
		case c == 'm':
			months = true
		}
	}
	return format(day, clock, months)
}

// format weighs the letters found. m alone is a month; next to h or s only, it
// is minutes.
func format(day, clock, months bool) Format {
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

// zerosOnly is how many zeros the first section consists of; 0 where it shows
// anything else, or only under a condition. Colours, languages and room for
// brackets show nothing.
func zerosOnly(code string) int {
	n := 0
	for i := 0; i < len(code) && code[i] != ';'; i++ {
		switch code[i] {
		case '0':
			n++
		case '_', '*':
			i++
		case '[':
			end := closing(code, i)
			if elapsed(code[i+1:end]) || strings.ContainsAny(code[i:end], "<>=") {
				return 0
			}
			i = end
		default:
			return 0
		}
	}
	return n
}

// literal is where the quoted text that begins at i ends.
func literal(code string, i int) int {
	for i++; i < len(code) && code[i] != '"'; i++ {
	}
	return i
}

// closing is where the bracket that begins at i ends.
func closing(code string, i int) int {
	for i++; i < len(code) && code[i] != ']'; i++ {
	}
	return i
}

// elapsed distinguishes [h], [mm], [ss] from colours, conditions and locales.
func elapsed(code string) bool {
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

// ampm is the length of the mark for the halves of the day, if rest begins
// with one.
func ampm(rest string) int {
	for _, mark := range []string{"am/pm", "a/p"} {
		if fold(rest, mark) {
			return len(mark)
		}
	}
	return 0
}

func general(rest string) bool { return fold(rest, "general") }

// fold reports whether s begins with the lower-case prefix, in any case.
func fold(s, prefix string) bool {
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

// exponent distinguishes the e of 0.00E+00 from the e of a year.
func exponent(code string, i int) bool {
	return i+1 < len(code) && (code[i+1] == '+' || code[i+1] == '-')
}
