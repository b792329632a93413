package book

import (
	"bytes"
	"math"
	"strconv"
)

// Mask is a number format of digits and literals, such as 000-00-0000, which displays 123456789 as
// 123-45-6789, or 00000, which displays 412 as 00412. Masks are for numbers that are
// identifiers. Formats for quantities, with decimals, groups or a single required digit, have no
// mask.
type Mask struct {
	positive, negative, zero section
	signed                   bool // negative numbers use a sign because they have no section
}

// section is one part of a format. A token is a digit for one of "0#?" and a literal otherwise.
// nil means that no mask applies.
type section []token

type token struct {
	digit   byte // '0', '#', '?'; 0 for a literal
	literal string
}

// Append appends a decimal number from the file as the mask displays it. It returns false if
// the number has the default display or none.
func (m *Mask) Append(dst, number []byte) ([]byte, bool) {
	digits, negative, ok := roundDigits(number)
	if !ok {
		return dst, false
	}
	s := m.positive
	switch {
	case len(digits) == 0:
		s = m.zero
	case negative:
		s = m.negative
		if m.signed {
			dst = append(dst, '-')
		}
	}
	if len(s) == 0 {
		return dst, false
	}
	return s.append(dst, digits), true
}

// roundDigits returns the digits of a number, rounded to an integer as programs display it. ok is
// false if no program displays it in digits.
func roundDigits(number []byte) (digits []byte, negative, ok bool) {
	if negative = len(number) > 0 && number[0] == '-'; negative {
		number = number[1:]
	}
	if len(bytes.Trim(number, "0123456789")) == 0 {
		return bytes.TrimLeft(number, "0"), negative, true
	}
	const largest = 1e21
	v, err := strconv.ParseFloat(string(number), 64)
	if err != nil || !(v >= 0 && v < largest) {
		return nil, false, false
	}
	return bytes.TrimLeft(strconv.AppendFloat(nil, math.Round(v), 'f', -1, 64), "0"), negative, true
}

// append fills the digits into the section from the right. Digits in excess precede the first
// placeholder.
func (s section) append(dst, digits []byte) []byte {
	places := 0
	for _, t := range s {
		if t.digit != 0 {
			places++
		}
	}
	for _, t := range s {
		if t.digit == 0 {
			dst = append(dst, t.literal...)
			continue
		}
		for ; len(digits) > places; digits = digits[1:] {
			dst = append(dst, digits[0])
		}
		switch {
		case len(digits) == places:
			dst, digits = append(dst, digits[0]), digits[1:]
		case t.digit == '0':
			dst = append(dst, '0')
		}
		places--
	}
	return dst
}
