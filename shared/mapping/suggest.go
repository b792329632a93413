package mapping

import (
	"cmp"
	"slices"
)

// Limits of the search for similar candidates.
const (
	minSuggested  = 0.40 // minimum score of a suggestion
	maxSuggested  = 0.99 // only a person makes it certain
	shortlistSize = 32   // candidates that are compared completely
)

// suggester ranks candidates by similarity to a value. Shared pairs of adjacent runes select
// a shortlist, so that a long list of candidates is cheap.
type suggester struct {
	names []candidateName
	pairs map[[2]rune][]int // indexes of names
	words func(text string) []string
}

// candidateName is one name of a candidate, prepared for comparison.
type candidateName struct {
	candidate int
	key       []rune
	words     [][]rune
}

// scoredCandidate is a candidate with its similarity.
type scoredCandidate struct {
	candidate int
	score     float64
}

// newSuggester returns a suggester that compares texts by the words of words.
func newSuggester(words func(string) []string) *suggester {
	return &suggester{pairs: make(map[[2]rune][]int), words: words}
}

func (s *suggester) add(candidate int, text string) {
	n := newCandidateName(candidate, s.words(text))
	if len(n.key) == 0 {
		return
	}
	for pair := range bigrams(n.key) {
		s.pairs[pair] = append(s.pairs[pair], len(s.names))
	}
	s.names = append(s.names, n)
}

func newCandidateName(candidate int, words []string) candidateName {
	n := candidateName{candidate: candidate}
	for _, w := range words {
		r := []rune(w)
		r = r[:min(len(r), maxCompared-len(n.key))]
		if len(r) == 0 {
			break
		}
		n.words, n.key = append(n.words, r), append(n.key, r...)
	}
	return n
}

// bigrams returns the pairs of adjacent runes of a text; the first rune is paired with 0.
func bigrams(key []rune) map[[2]rune]bool {
	pairs := make(map[[2]rune]bool, len(key))
	var last rune
	for _, r := range key {
		pairs[[2]rune{last, r}] = true
		last = r
	}
	return pairs
}

// suggest returns the most similar candidates, the best first, each once.
func (s *suggester) suggest(text string, limit int) []scoredCandidate {
	v := newCandidateName(0, s.words(text))
	if len(v.key) == 0 || limit <= 0 {
		return nil
	}
	best := make(map[int]float64)
	for _, place := range s.shortlist(v.key) {
		n := &s.names[place]
		if score := nameSimilarity(&v, n); score >= minSuggested {
			best[n.candidate] = max(best[n.candidate], min(score, maxSuggested))
		}
	}
	out := make([]scoredCandidate, 0, len(best))
	for candidate, score := range best {
		out = append(out, scoredCandidate{candidate: candidate, score: score})
	}
	slices.SortFunc(out, byScore)
	return out[:min(limit, len(out))]
}

// shortlist returns the indexes of the names that share most pairs with the value, relative
// to their lengths.
func (s *suggester) shortlist(key []rune) []int {
	shared := make([]int, len(s.names))
	for pair := range bigrams(key) {
		for _, place := range s.pairs[pair] {
			shared[place]++
		}
	}
	var scores []scoredCandidate // by index of names
	for place, n := range shared {
		if n > 0 {
			scores = append(scores, scoredCandidate{place, float64(n) / float64(len(key)+len(s.names[place].key))})
		}
	}
	slices.SortFunc(scores, byScore)
	places := make([]int, min(shortlistSize, len(scores)))
	for i := range places {
		places[i] = scores[i].candidate
	}
	return places
}

// byScore orders by score, the highest first.
func byScore(a, b scoredCandidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.candidate, b.candidate))
}

// containedShare is the score if all words of one text are in the other.
const containedShare = 0.9

// nameSimilarity returns the similarity of a value and a name, from 0 to 1: of the complete
// texts or of their words in any order, whichever is higher.
func nameSimilarity(v, n *candidateName) float64 {
	few, many := v.words, n.words
	if len(few) > len(many) {
		few, many = many, few
	}
	var matched float64
	used := make([]bool, len(many))
	for _, w := range few {
		best, where := 0.0, -1
		for i, other := range many {
			if r := textSimilarity(w, other); r > best && !used[i] {
				best, where = r, i
			}
		}
		if where >= 0 {
			used[where] = true
			matched += best
		}
	}
	dice := 2 * matched / float64(len(few)+len(many))
	contained := containedShare * matched / float64(len(few))
	if len(few[0]) < 3 && len(few) == 1 {
		contained = 0
	}
	return max(textSimilarity(v.key, n.key), dice, contained*contained)
}
