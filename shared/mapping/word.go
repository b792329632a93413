package mapping

import (
	"slices"
	"strings"
)

// The relations between two words that are not equal, with their likeness.
const (
	sameWord      = 1.0
	otherWordForm = 0.97 // a plural, or another spelling
	inflectedWord = 0.93 // "joining", "joined" for "join"
	abbreviated   = 0.92 // listed in abbreviations
	clippedWord   = 0.86 // a prefix or the consonants of the word
	misspeltWord  = 0.82 // minimum similarity of a misspelling
)

// word is a word of a header or a name, prepared for comparison.
type word struct {
	text  string
	runes []rune
	// exists is set for ordinary words and for those of the dictionary: they are no
	// misspellings or clippings of others.
	exists bool
}

func newWord(text string, exists bool) word {
	return word{text: text, runes: []rune(text), exists: exists}
}

// wordSimilarity is the likelihood that the header's word h means the name's word n: 0 or
// one of the constants above up to 1.
func wordSimilarity(h, n *word) float64 {
	switch {
	case h.text == n.text:
		return sameWord
	case h.runes[0] != n.runes[0]:
		return 0 // first letters are almost never wrong
	case isForm(h.text, n.text):
		return otherWordForm
	case slices.Contains(abbreviations[h.text], n.text):
		return abbreviated
	case h.exists:
		return 0
	case isInflection(h.text, n.text):
		return inflectedWord
	case isClipping(h.runes, n.runes):
		return clippedWord
	default:
		return misspelling(h.runes, n.runes)
	}
}

// isForm reports whether h is the plural of n, or another spelling of it.
func isForm(h, n string) bool {
	return isPlural(h, n) || slices.Contains(wordVariants[h], n) || slices.Contains(wordVariants[n], h)
}

func isPlural(many, one string) bool {
	if len(one) < 3 || len(many) <= len(one) || many[0] != one[0] {
		return false
	}
	return strings.TrimSuffix(many, "s") == one || strings.TrimSuffix(many, "ies") == strings.TrimSuffix(one, "y")
}

// isInflection reports whether the words are forms of one verb: "join", "joined",
// "joining"; "create", "created".
func isInflection(h, n string) bool {
	return verbForm(h, n) || verbForm(n, h)
}

func verbForm(form, verb string) bool {
	if len(verb) < 4 {
		return false
	}
	stem := strings.TrimSuffix(verb, "e")
	return form == stem+"ed" || form == stem+"ing"
}

// isClipping reports whether h is a prefix of n, or n without its vowels.
func isClipping(h, n []rune) bool {
	if len(h) < 3 || len(h) > len(n)-2 {
		return false
	}
	if len(h) >= 4 && 2*len(h) >= len(n)-1 && slices.Equal(h, n[:len(h)]) {
		return true
	}
	return 5*len(h) >= 2*len(n) && slices.Equal(h, consonants(n))
}

// consonants returns the first rune and all following consonants.
func consonants(n []rune) []rune {
	out := n[:1:1]
	for _, r := range n[1:] {
		if !strings.ContainsRune("aeiou", r) {
			out = append(out, r)
		}
	}
	return out
}

// maxTypo is the maximum length of words that are checked for misspellings, in runes.
const maxTypo = 40

// misspelling returns the similarity of words that differ by one typing error, or by two if
// they have ten or more letters; else 0. A different ending is no typing error ("updates",
// "updated"). If a word has four letters, where any letter makes another word, only a
// transposition or an additional letter counts.
func misspelling(h, n []rune) float64 {
	short, long := min(len(h), len(n)), max(len(h), len(n))
	allowed := 1
	if short >= 10 {
		allowed = 2
	}
	switch {
	case short < 4, long > maxTypo, long-short > allowed, hasDigit(h), hasDigit(n):
		return 0
	case len(n) == 4 && len(h) <= 4 && !sameLetters(h, n):
		return 0
	case otherEnding(h, n), edits(h, n) > allowed:
		return 0
	default:
		return max(misspeltWord, textSimilarity(h, n))
	}
}

// otherEnding reports whether h is n with another last letter, or with an additional one that
// does not repeat it.
func otherEnding(h, n []rune) bool {
	last := len(h) - 1
	if len(h) == len(n) {
		return slices.Equal(h[:last], n[:last])
	}
	return len(h) == len(n)+1 && slices.Equal(h[:last], n) && h[last] != h[last-1]
}

func hasDigit(r []rune) bool {
	return slices.ContainsFunc(r, func(r rune) bool { return classOf(r) == digitClass })
}

func sameLetters(a, b []rune) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}
