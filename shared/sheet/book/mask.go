package book

import (
	"bytes"
	"math"
	"strconv"
)

// Mask is what a number format of digits and characters among them shows of
// numbers: 123-45-6789 of 123456789 under 000-00-0000, 00412 of 412 under 00000.
// It is for numbers that name something. Formats that show quantities, with
// decimals, groups or a single obligatory digit, make none.
type Mask struct {
	positive, negative, zero section
	signed                   bool // negative numbers have no section, but a sign
}

// section is one of the parts of a format: digits where it has one of "0#?", all
// else as it stands. A nil one shows what no mask shows.
type section []token

type token struct {
	digit   byte // '0', '#', '?'; 0 for a literal
	literal string
}

// Append appends what the mask shows of a decimal number, as the file holds it.
// False: it shows the number as any format does, or nothing.
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

// roundDigits are the digits of a number without its fraction, rounded as programs
// show it; false for one that no program shows in digits.
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

// append puts the digits into their places, from the right; those for which
// there is no place stand in front of the first.
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
