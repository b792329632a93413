package mapping

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// ValueKey returns the normalised form by which values are compared: no accents, no case,
// no punctuation except for signs that distinguish values ("18+", "A-"). Text in brackets
// remains: it distinguishes "Junior (U18)" from "Junior (U16)". It is "" for a value without
// a letter, digit or sign.
func ValueKey(text string) string { return joinWords(valueWords(foldText(text))) }

// ExactKey returns the form for comparisons that ignore only case and white space: "Weight (kg)" is not
// "Weight (lb)".
func ExactKey(text string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.Join(strings.Fields(text), " "))))
}

// foldedValueWords returns the words of a value without case, accents and punctuation.
func foldedValueWords(text string) []string { return valueWords(foldText(text)) }

// valueWords splits a folded value into words.
func valueWords(s string) []string { return splitWords(strings.ToLower(replaceSigns(s))) }

// signNames replaces symbols that represent words in values.
var signNames = strings.NewReplacer("+", " plus ", "&", " and ", "<", " under ", ">", " over ", "%", " percent ")

// replaceSigns replaces signs by words. A hyphen is a sign only at an end: "-5", "A-".
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
