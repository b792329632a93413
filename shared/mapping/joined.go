package mapping

import (
	"slices"
	"strings"
)

// joinedSimilarity compares a header of one word with a name of several: "memberno",
// "fristname".
func (q *query) joinedSimilarity(n *name) float64 {
	if len(q.content) != 1 || len(n.content) < 2 {
		return 0
	}
	h := &q.content[0]
	if h.exists || len(h.runes) < 6 || h.runes[0] != n.joined.runes[0] {
		return 0
	}
	if l := n.segment(h.text); l > 0 {
		return clampSimilarity(l - joinedCost)
	}
	if edits(h.runes, n.joined.runes) > 1 {
		return 0
	}
	return clampSimilarity(misspelling(h.runes, n.joined.runes))
}

// segment returns how well a text without gaps consists of the name's words in order, each
// complete or abbreviated: the mean likeness, or 0. One must be complete.
func (n *name) segment(text string) float64 {
	whole := false
	var sum float64
	for i := range n.words {
		rest, l := n.words[i].trimPrefix(text)
		if l == 0 {
			return 0
		}
		whole = whole || l == sameWord && len(n.words[i].runes) >= 4
		sum += l * n.weights[i]
		text = rest
	}
	if text != "" || !whole {
		return 0
	}
	return sum
}

// trimPrefix returns the text after the word or its abbreviation at the start of text.
func (w *word) trimPrefix(text string) (rest string, likeness float64) {
	if rest, ok := strings.CutPrefix(text, w.text); ok {
		return rest, sameWord
	}
	for end := len(text); end >= 2; end-- {
		if slices.Contains(abbreviations[text[:end]], w.text) {
			return text[end:], abbreviated
		}
	}
	return "", 0
}
