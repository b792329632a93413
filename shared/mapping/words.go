package mapping

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words splits folded text at everything that is neither letter nor digit, between
// letters and digits, and at capitals: "IDNumber" and "custom_1" are two words
// each. The words are in lower case.
func words(s string) []string {
	var out []string
	start, last := -1, other
	for i, r := range s {
		c := classOf(r)
		if start >= 0 && (c == other || breaks(last, c, s[i:])) {
			out = append(out, strings.ToLower(s[start:i]))
			start = -1
		}
		if start < 0 && c != other {
			start = i
		}
		last = c
	}
	if start >= 0 {
		out = append(out, strings.ToLower(s[start:]))
	}
	return out
}

type class uint8

const (
	other class = iota
	lower       // also letters without case, and marks, which belong to their letter
	upper
	digit
)

func classOf(r rune) class {
	switch {
	case r >= 'a' && r <= 'z':
		return lower
	case r >= 'A' && r <= 'Z':
		return upper
	case r >= '0' && r <= '9':
		return digit
	case r < utf8.RuneSelf:
		return other
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r), unicode.IsMark(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	default:
		return other
	}
}

// breaks reports whether a new word begins at rest, whose first rune has class c and
// follows one of class last.
func breaks(last, c class, rest string) bool {
	switch {
	case (last == digit) != (c == digit):
		return true
	case last == lower && c == upper:
		return true
	case last == upper && c == upper:
		// In "IDNumber" the word begins at the capital before a small letter, but not
		// in "IDs".
		_, size := utf8.DecodeRuneInString(rest)
		next, more := utf8.DecodeRuneInString(rest[size:])
		return classOf(next) == lower && classOfSecond(rest[size:], more) == lower
	default:
		return false
	}
}

func classOfSecond(s string, first int) class {
	if first >= len(s) {
		return other
	}
	r, _ := utf8.DecodeRuneInString(s[first:])
	return classOf(r)
}
