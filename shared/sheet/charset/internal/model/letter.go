package model

import "unicode"

// IsLetter reports whether r is part of words. The two ordinal indicators are letters in Unicode,
// but not here.
func IsLetter(r rune) bool {
	if r < 0x80 {
		return r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) && r != 'ª' && r != 'º' || unicode.IsMark(r)
}

// Fold converts a letter to lower case. The Turkish İ stays unchanged: it differs from the i of
// all other languages. Romanian letters with a comma below, which no encoding of its files has,
// become those with a cedilla.
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
