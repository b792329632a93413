package mapping

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitWords splits folded text at everything that is neither letter nor digit, between
// letters and digits, and at capitals: "IDNumber" and "custom_1" are two words
// each. The words are in lower case.
func splitWords(s string) []string {
	var out []string
	start, last := -1, otherClass
	for i, r := range s {
		c := classOf(r)
		if start >= 0 && (c == otherClass || isWordBreak(last, c, s[i:])) {
			out = append(out, strings.ToLower(s[start:i]))
			start = -1
		}
		if start < 0 && c != otherClass {
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
	otherClass class = iota
	lowerClass       // also letters without case, and marks, which belong to their letter
	upperClass
	digitClass
)

func classOf(r rune) class {
	switch {
	case r >= 'a' && r <= 'z':
		return lowerClass
	case r >= 'A' && r <= 'Z':
		return upperClass
	case r >= '0' && r <= '9':
		return digitClass
	case r < utf8.RuneSelf:
		return otherClass
	case unicode.IsUpper(r):
		return upperClass
	case unicode.IsLetter(r), unicode.IsMark(r):
		return lowerClass
	case unicode.IsDigit(r):
		return digitClass
	default:
		return otherClass
	}
}

// isWordBreak reports whether a new word begins at rest. The first rune of rest has class c
// and follows one of class last.
func isWordBreak(last, c class, rest string) bool {
	switch {
	case (last == digitClass) != (c == digitClass):
		return true
	case last == lowerClass && c == upperClass:
		return true
	case last == upperClass && c == upperClass:
		// In "IDNumber" the word begins at the capital before a small letter, but not
		// in "IDs".
		_, size := utf8.DecodeRuneInString(rest)
		next, more := utf8.DecodeRuneInString(rest[size:])
		return classOf(next) == lowerClass && classOfSecond(rest[size:], more) == lowerClass
	default:
		return false
	}
}

func classOfSecond(s string, first int) class {
	if first >= len(s) {
		return otherClass
	}
	r, _ := utf8.DecodeRuneInString(s[first:])
	return classOf(r)
}
