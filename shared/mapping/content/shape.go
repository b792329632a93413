package content

import (
	"bytes"
	"regexp"
)

// shape counts the characters of a text.
type shape struct{ digits, letters, capitals, at int }

func shapeOf(text []byte) (s shape) {
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			s.digits++
		case c >= 'A' && c <= 'Z':
			s.letters++
			s.capitals++
		case c >= 'a' && c <= 'z', c >= 0x80:
			s.letters++
		case c == '@':
			s.at++
		}
	}
	return s
}

// isPhone accepts 7 to 15 digits, as in ITU-T E.164, with a property that other numbers lack:
// a leading plus or zero, brackets, or groups.
func (s shape) isPhone(text []byte) bool {
	if s.digits < 7 || s.digits > 15 || s.letters > 0 {
		return false
	}
	if len(bytes.Trim(text, "+0123456789 ()/.-")) > 0 || bytes.LastIndexByte(text, '+') > 0 {
		return false
	}
	switch text[0] {
	case '+', '(':
		return true
	case '0':
		return bytes.IndexByte(text, '.') != 1 // but 0.1234567 is a fraction
	}
	groups := bytes.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	return len(groups) >= 2 && s.digits >= 9 && bytes.IndexByte(text, '.') < 0
}

// postal matches the postal codes that are not only digits: Canadian, British, Dutch,
// Brazilian, Portuguese and Polish ones, those of the United States with four additional
// digits, Swedish and Greek ones. Digits after a letter and a hyphen are ambiguous.
var postal = regexp.MustCompile(`^(?:[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|\d{5}-\d{3}|\d{4}-\d{3}|\d{2}-\d{3}|\d{5}-\d{4}|\d{3} \d{2})$`)

func (s shape) isPostal(text []byte) bool {
	return len(text) >= 5 && len(text) <= 10 && s.digits >= 2 && s.digits < len(text) && postal.Match(text)
}
