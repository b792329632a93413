package mapping

import (
	"slices"
	"strings"
)

// maxWords and maxHeader limit the texts that are compared word by word: longer ones are
// sentences or accidents. They can still be equal to an alias.
const (
	maxWords  = 8
	maxHeader = 120 // bytes
)

// header is a normalised header or name.
type header struct {
	key   string     // all words without gaps: headers with equal keys are equal
	words []string   // in order, lower-case
	parts [][]string // words of each part, if there are several parts
}

// HeaderKey returns the normalised form by which headers are compared. It is "" for a header
// without any word.
func HeaderKey(text string) string { return parseHeader(foldText(text)).key }

// HeaderKeys returns the keys of all spellings of a text, with and without the words that do not change
// its meaning.
func HeaderKeys(text string) (keys []string) {
	for _, h := range parseHeaders(text) {
		content, _ := withoutFillers(h.words)
		for _, key := range []string{h.key, joinWords(content)} {
			if key != "" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// parseHeaders returns the header in each of its spellings.
func parseHeaders(text string) []header {
	var out []header
	for _, s := range foldedSpellings(text) {
		out = append(out, parseHeader(s))
	}
	return out
}

// parseHeader normalises a folded header.
func parseHeader(folded string) header {
	var h header
	for part := range strings.SplitSeq(cutNotes(symbols.Replace(folded)), partSeparators) {
		if w := headerWords(part); len(w) > 0 {
			h.parts = append(h.parts, w)
			h.words = append(h.words, w...)
		}
	}
	if len(h.parts) < 2 {
		h.parts = nil
	}
	h.words = withoutUnit(h.words)
	h.key = joinWords(h.words)
	return h
}

// symbols replaces symbols that represent words in headers.
var symbols = strings.NewReplacer("#", " number ", "N°", "No ", "n°", "no ", "&", " and ", "+", " plus ", "'s ", " ", "'s", "s")

// headerWords splits a part and unifies the spellings of some words.
func headerWords(part string) []string {
	w := splitWords(part)
	for i := range w {
		if numberWords[w[i]] {
			w[i] = "number"
		}
	}
	w = replacePair(w, "e", "mail", "email")
	w = replacePair(w, "what", "is", "what")
	// "Number of items" is a count; it is not the number of one item.
	return replacePair(w, "number", "of", "count")
}

// replacePair replaces two adjacent words by one.
func replacePair(w []string, first, second, replacement string) []string {
	for i := 0; i+1 < len(w); i++ {
		if w[i] == first && w[i+1] == second {
			w = slices.Replace(w, i, i+2, replacement)
		}
	}
	return w
}

var numberWords = setOf("no nr num nbr numb numero nummer numer")

// withoutUnit removes a unit at the end: "Weight in kg", "height_cm".
func withoutUnit(w []string) []string {
	last := len(w) - 1
	if last < 1 || !trailingUnits[w[last]] {
		return w
	}
	if last >= 2 && w[last-1] == "in" {
		last--
	}
	return w[:last]
}

// joinWords joins words to a key. A gap remains only between numbers, where omitting it
// would form another number.
func joinWords(w []string) string {
	var b strings.Builder
	for i, text := range w {
		if i > 0 && startsWithDigit(w[i-1]) && startsWithDigit(text) {
			b.WriteByte('-')
		}
		b.WriteString(text)
	}
	return b.String()
}

func startsWithDigit(s string) bool { return s[0] >= '0' && s[0] <= '9' }
