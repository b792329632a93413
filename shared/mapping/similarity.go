package mapping

import "slices"

// Deductions for words without an exact counterpart.
const (
	fillerCost  = 0.01 // "of", "your" in only one of them
	reorderCost = 0.03 // "Name (first)" for "First name"
	impliedCost = 0.04 // each "date" of a date, "member" of a member
	partsCost   = 0.02 // "Surname / Nachname"
	joinedCost  = 0.03 // "memberno" for "Member number"
)

// The range of confidences of similar headers.
const (
	minSimilar = 0.80
	maxSimilar = 0.99
)

// query is a header prepared for comparison with names.
type query struct {
	content []word      // its words without fillers
	fillers int         // number of removed fillers
	alike   [][]float64 // likeness of each content word to each word of the index's vocabulary
}

// similarity returns the confidence that a header means a name of a target: 0, or from
// minSimilar to maxSimilar. It is the mean likeness of the name's words to those
// of the header, weighted by length, minus the deductions.
func similarity(q *query, n *name, t *target) float64 {
	if len(q.content) < len(n.content) {
		return q.joinedSimilarity(n)
	}
	places, total := q.align(n, t.Kind)
	if places == nil {
		return 0
	}
	extra, ok := q.unmatchedWords(places, n, t)
	if !ok {
		return 0
	}
	score := total - float64(extra)*impliedCost
	if !slices.IsSorted(places) {
		score -= reorderCost
	}
	if q.fillers != n.fillers {
		score -= fillerCost
	}
	return clampSimilarity(score)
}

func clampSimilarity(score float64) float64 {
	if score < minSimilar {
		return 0
	}
	return min(score, maxSimilar)
}

// align finds for each word of the name the most similar unused word of the header, and
// returns their places and the mean likeness; nil if a word has none.
func (q *query) align(n *name, kind Kind) (places []int, mean float64) {
	places = make([]int, 0, maxWords)
	for i, id := range n.content {
		best, where := 0.0, -1
		for h := range q.content {
			if l := q.wordSimilarity(h, &n.words[i], q.alike[h][id], kind); l > best && !slices.Contains(places, h) {
				best, where = l, h
			}
		}
		if where < 0 {
			return nil, 0
		}
		places = append(places, where)
		mean += best * n.weights[i]
	}
	return places, mean
}

// wordSimilarity adjusts the likeness l of word h of the header and word n of a name
// according to the adjacent words.
func (q *query) wordSimilarity(h int, n *word, l float64, kind Kind) float64 {
	alone := len(q.content) == 1
	switch {
	case l < otherWordForm && kind != Integer && kind != Decimal && isPlural(n.text, q.content[h].text):
		return otherWordForm // but "Item" is not the number of "Items"
	case alone && (l == inflectedWord || l == clippedWord):
		return 0 // too unspecific
	default:
		return l
	}
}

// maxExtra is the maximum number of header words beyond those of the name.
const maxExtra = 2

// unmatchedWords counts the words of the header without a counterpart in the name. It
// returns false if one of them may be meaningful.
func (q *query) unmatchedWords(places []int, n *name, t *target) (count int, ok bool) {
	for h := range q.content {
		if slices.Contains(places, h) {
			continue
		}
		switch text := q.content[h].text; {
		case impliedWords[t.Kind][text] && !n.hasWord(text):
		case text == "number" && n.numbered:
		case t.subjects[text] && (h == 0 || q.fillers > 0):
			// "Member email" or "Email of member"; but "Active members" is a count.
		default:
			return 0, false
		}
		count++
	}
	if count > maxExtra || count > 0 && n.vague && !n.primary {
		return 0, false
	}
	return count, true
}
