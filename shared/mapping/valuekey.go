package mapping

import "strings"

// ValueKey is the normalised form by which values are the same one: no accents, no
// case, no punctuation except for signs that make another value ("18+", "A-"). What
// is in brackets stays: it distinguishes "Junior (U18)" from "Junior (U16)". It
// is "" for a value without a letter, digit or sign.
func ValueKey(text string) string { return joinWords(valueWords(foldText(text))) }

// valueWords splits a folded value into words.
func valueWords(s string) []string { return splitWords(strings.ToLower(replaceSigns(s))) }

// signNames are the symbols that are words in values.
var signNames = strings.NewReplacer("+", " plus ", "&", " and ", "<", " under ", ">", " over ", "%", " percent ")

// replaceSigns writes out the signs. A hyphen is one only at an end: "-5", "A-".
func replaceSigns(s string) string {
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "-"); ok {
		s = " minus " + inner
	}
	if inner, ok := strings.CutSuffix(s, "-"); ok {
		s = inner + " minus "
	}
	return signNames.Replace(s)
}
