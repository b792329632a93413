package book

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxMask limits the tokens of a mask and the bytes of its literals. No identifier is
	// longer, and the mask may apply to every cell.
	maxMask = 64
	// plainLiterals are the characters that are literals without quotes.
	plainLiterals = " -()+:'&~{}!^"
)

// parseMask parses a number format code; nil if it is not a mask.
func parseMask(code string) *Mask {
	parts := splitSections(code)
	if n := len(parts); n > 1 && strings.Contains(parts[n-1], "@") {
		parts = parts[:n-1] // the text section
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

// splitSections splits a code at its semicolons.
func splitSections(code string) []string {
	var parts []string
	from := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '"':
			i = literalEnd(code, i)
		case '\\', '_', '*':
			i++
		case ';':
			parts = append(parts, code[from:i])
			from = i + 1
		}
	}
	return append(parts, code[from:])
}

// parseSection parses a section; nil for a quantity, a date or an empty section.
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
			end := literalEnd(code, i)
			add(token{literal: code[i+1 : min(end, len(code))]})
			i = end
		case c == '\\' && i+1 < len(code):
			i++
			add(token{literal: code[i : i+1]})
		case c == '_', c == '*': // padding of a character's width, and fill character
			_, n := utf8.DecodeRuneInString(code[i+1:])
			i += n
		case c == '[':
			end := bracketEnd(code, i)
			if !isIgnoredBracket(code[i+1 : end]) {
				return nil
			}
			i = end
		case strings.IndexByte(plainLiterals, c) >= 0, c >= 0x80:
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

// isIgnoredBracket reports whether a bracket is irrelevant for the display: a colour or a
// language, not a currency, a condition or other digits.
func isIgnoredBracket(brackets string) bool {
	return strings.HasPrefix(brackets, "$-") ||
		!isElapsed(brackets) && !strings.ContainsAny(brackets, "$<>=") && !hasPrefixFold(brackets, "dbnum") && !hasPrefixFold(brackets, "natnum")
}

func (s section) zeros() (n int) {
	for _, t := range s {
		if t.digit == '0' {
			n++
		}
	}
	return n
}
