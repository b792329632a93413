package model

import "unicode"

// IsLetter reports whether words are made of r. The two ordinal indicators are
// letters for Unicode, and signs for people.
func IsLetter(r rune) bool {
	if r < 0x80 {
		return r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) && r != 'ª' && r != 'º' || unicode.IsMark(r)
}

// Fold makes lower case of a letter. The Turkish İ stays: it is no i that any other
// language could have. Romanian's letters with a comma, which no encoding of its
// files has, are those with a cedilla.
func Fold(r rune) rune {
	switch {
	case r < 0x80:
		if r >= 'A' && r <= 'Z' {
			r |= 0x20
		}
		return r
	case r == 'İ':
		return r
	case r == 'ș', r == 'Ș':
		return 'ş'
	case r == 'ț', r == 'Ț':
		return 'ţ'
	}
	return unicode.ToLower(r)
}
