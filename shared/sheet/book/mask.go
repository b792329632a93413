package book

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
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

const (
	// maxMask bounds the tokens of a mask and the bytes of its literals: nothing
	// with more is a code, and every cell may be shown so.
	maxMask = 64
	// separate are the characters that stand for themselves without a quote.
	separate = " -()+:'&~{}!^"
)

// parseMask reads a number format's code; nil where it makes no mask.
func parseMask(code string) *Mask {
	parts := split(code)
	if n := len(parts); n > 1 && strings.Contains(parts[n-1], "@") {
		parts = parts[:n-1] // of texts
	}
	m := &Mask{positive: parseSection(parts[0]), signed: len(parts) == 1}
	if m.positive.zeros() < 2 {
		return nil
	}
	m.negative, m.zero = m.positive, m.positive
	if len(parts) > 1 {
		m.negative = parseSection(parts[1])
	}
	if len(parts) > 2 {
		m.zero = parseSection(parts[2])
	}
	return m
}

// split parts a code at its semicolons.
func split(code string) []string {
	var parts []string
	from := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '"':
			i = literal(code, i)
		case '\\', '_', '*':
			i++
		case ';':
			parts = append(parts, code[from:i])
			from = i + 1
		}
	}
	return append(parts, code[from:])
}

// parseSection is nil where a section shows quantities, dates or nothing.
func parseSection(code string) section {
	var s section
	size := 0
	add := func(t token) {
		s = append(s, t)
		size += len(t.literal) + 1
	}
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '0', c == '#', c == '?':
			add(token{digit: c})
		case c == '"':
			end := literal(code, i)
			add(token{literal: code[i+1 : min(end, len(code))]})
			i = end
		case c == '\\' && i+1 < len(code):
			i++
			add(token{literal: code[i : i+1]})
		case c == '_', c == '*': // room for a character, and what fills it
			_, n := utf8.DecodeRuneInString(code[i+1:])
			i += n
		case c == '[':
			end := closing(code, i)
			if !silent(code[i+1 : end]) {
				return nil
			}
			i = end
		case strings.IndexByte(separate, c) >= 0, c >= 0x80:
			add(token{literal: code[i : i+1]})
		default:
			return nil
		}
		if size > maxMask {
			return nil
		}
	}
	return s
}

// silent reports whether what stands in brackets shows nothing and decides
// nothing: a colour or a language, not a currency, a condition or other digits.
func silent(brackets string) bool {
	return strings.HasPrefix(brackets, "$-") ||
		!elapsed(brackets) && !strings.ContainsAny(brackets, "$<>=") && !fold(brackets, "dbnum") && !fold(brackets, "natnum")
}

func (s section) zeros() (n int) {
	for _, t := range s {
		if t.digit == '0' {
			n++
		}
	}
	return n
}

// Append appends what the mask shows of a decimal number, as the file holds it.
// False: it shows the number as any format does, or nothing.
func (m *Mask) Append(dst, number []byte) ([]byte, bool) {
	digits, negative, ok := rounded(number)
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

// rounded are the digits of a number without its fraction, rounded as programs
// show it; false for one that no program shows in digits.
func rounded(number []byte) (digits []byte, negative, ok bool) {
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
