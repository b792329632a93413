package xlsx

import (
	"bytes"
	"math"
	"strconv"

	"github.com/loadbay/loadbay/shared/sheet/book"
)

// appendSerial appends the date of a serial number.
func appendSerial(dst, text []byte, f book.Format, date1904 bool) ([]byte, bool) {
	serial, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return dst, false
	}
	return book.AppendDate(dst, serial, f, date1904)
}

// Programs write a binary number with as many digits as distinguish it from its neighbours, and
// display it with the certain digits.
const (
	certainDigits = 15
	writtenDigits = 17
)

// appendNumber appends the number in text, and returns false if it is not a number. See the package
// comment for the one case in which the result differs from text.
func appendNumber(dst, text []byte) ([]byte, bool) {
	digits, fraction, ok := scanNumber(text)
	if !ok {
		return dst, false
	}
	if !fraction || digits <= certainDigits || digits > writtenDigits {
		return append(dst, text...), true
	}
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return append(dst, text...), true
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, value, appendPlain(value), -1, 64)
	if digits, _, _ := scanNumber(dst[start:]); digits > certainDigits {
		return append(dst[:start], text...), true
	}
	return dst, true
}

// appendPlain prevents exponents in numbers of a usual magnitude.
func appendPlain(value float64) byte {
	if size := math.Abs(value); size >= 1e-7 && size < 1e21 || size == 0 {
		return 'f'
	}
	return 'E'
}

// scanNumber reports whether b is a decimal number, its number of significant digits, and whether
// it has a fraction or an exponent.
func scanNumber(b []byte) (digits int, fraction, ok bool) {
	i := 0
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		i++
	}
	seen := false
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c >= '0' && c <= '9':
			seen = true
			if c != '0' || digits > 0 {
				digits++
			}
		case c == '.' && !fraction:
			fraction = true
		case (c == 'e' || c == 'E') && seen:
			return digits, true, isExponent(b[i+1:])
		default:
			return 0, false, false
		}
	}
	return digits, fraction, seen
}

func isExponent(b []byte) bool {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// appendISO appends a date or time that is stored as ISO 8601 text, in the form of the other
// dates: no zone, no midnight, no empty fraction.
func appendISO(dst, text []byte) ([]byte, bool) {
	day, clock, both := bytes.Cut(text, []byte("T"))
	if !both && bytes.IndexByte(text, ':') > 0 {
		day, clock = nil, text
	}
	clock = bytes.TrimSuffix(clock, []byte("Z"))
	if bytes.IndexByte(clock, '.') > 0 {
		clock = bytes.TrimRight(bytes.TrimRight(clock, "0"), ".")
	}
	if len(day) > 0 && !hasShape(day, "0000-00-00") || len(day)+len(clock) == 0 {
		return dst, false
	}
	if len(clock) > 0 && !hasShape(clock[:min(len(clock), 8)], "00:00:00") {
		return dst, false
	}
	if len(clock) > 8 && !(clock[8] == '.' && isDigits(clock[9:])) {
		return dst, false
	}
	dst = append(dst, day...)
	if len(day) > 0 && (len(clock) == 0 || string(clock) == "00:00:00") {
		return dst, true
	}
	if len(day) > 0 {
		dst = append(dst, 'T')
	}
	return append(dst, clock...), true
}

// hasShape reports whether b has digits where the shape has zeros, and is equal to it elsewhere.
func hasShape(b []byte, shape string) bool {
	if len(b) != len(shape) {
		return false
	}
	for i, c := range b {
		digit := c >= '0' && c <= '9'
		if digit != (shape[i] == '0') || !digit && c != shape[i] {
			return false
		}
	}
	return true
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
