package mapping

import "slices"

// What is taken off for words that are not accounted for one by one.
const (
	fillerCost  = 0.01 // "of", "your" on one side only
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

// query is a header that is compared with names.
type query struct {
	content []word      // its words without fillers
	fillers int         // how many it had
	alike   [][]float64 // of each content word to each word of the index's vocabulary
}

// similarity is the confidence that a header means a name of a target: 0, or from
// minSimilar to maxSimilar. It is the mean likeness of the name's words to those
// of the header, weighted by length, less the costs.
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

// align finds for each word of the name another word of the header, the most alike
// one, and returns their places and the mean likeness; nil if a word has none.
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

// wordSimilarity corrects the likeness l of word h of the header to the word n of a name
// by what stands around it.
func (q *query) wordSimilarity(h int, n *word, l float64, kind Kind) float64 {
	alone := len(q.content) == 1
	switch {
	case l < otherWordForm && kind != Integer && kind != Decimal && isPlural(n.text, q.content[h].text):
		return otherWordForm // but "Item" is not how many "Items" there are
	case alone && (l == inflectedWord || l == clippedWord):
		return 0 // too little to go by
	default:
		return l
	}
}

// maxExtra is how many words a header may have beyond those of the name.
const maxExtra = 2

// unmatchedWords counts the words of the header that the name has no counterpart for. It
// is false if one of them may mean something.
func (q *query) unmatchedWords(places []int, n *name, t *target) (count int, ok bool) {
	for h := range q.content {
		if slices.Contains(places, h) {
			continue
		}
		switch text := q.content[h].text; {
		case impliedWords[t.Kind][text] && !n.hasWord(text):
		case text == "number" && n.numbered:
		case t.subjects[text] && (h == 0 || q.fillers > 0):
			// "Member email" or "Email of member"; but "Active members" counts them.
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
