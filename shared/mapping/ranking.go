package mapping

import (
	"slices"
	"strings"
)

// Candidate is an entity, or a word, that a value can match.
type Candidate struct {
	ID         int64
	Name       string
	OtherNames []string // further names by which it is found
	Words      []string // words with the same meaning: only values that equal one are found by it
	IsWord     bool     // it is a word of the field and not an entity
}

// Suggestion is a candidate with its similarity to a value: above 0 and below 1,
// or 0 for one that is not similar.
type Suggestion struct {
	Candidate
	Score float64
}

// Ranking orders the candidates for a field's values to help a person choose. It decides
// nothing. It is safe for concurrent use.
type Ranking struct {
	candidates []Candidate
	similar    *suggester
	words      map[string]int // places of candidates, by ValueKey
}

// NewRanking prepares candidates. Equally similar ones retain the given order.
func NewRanking(candidates []Candidate) *Ranking {
	r := &Ranking{candidates: candidates, similar: newSuggester(func(text string) []string { return nameWords(foldedValueWords(text)) }), words: make(map[string]int)}
	for i, c := range candidates {
		for _, name := range c.names() {
			r.similar.add(i, name)
		}
		for _, word := range c.Words {
			r.words[ValueKey(word)] = i
		}
	}
	return r
}

// Nearest returns up to limit candidates that are similar to a value, the most similar first. If the
// value is one of the words of a candidate, it returns no others: "Homme" means "MALE", although it
// resembles "FEMALE".
func (r *Ranking) Nearest(value string, limit int) []Suggestion {
	if i, ok := r.words[ValueKey(value)]; ok && limit > 0 {
		return []Suggestion{{Candidate: r.candidates[i], Score: maxSuggested}}
	}
	suggestions := r.similar.suggest(value, limit)
	out := make([]Suggestion, len(suggestions))
	for i, s := range suggestions {
		out[i] = Suggestion{Candidate: r.candidates[s.candidate], Score: s.score}
	}
	return out
}

// Order returns all candidates: those that Nearest finds, then the others in the
// given order. For the value "" all are in the given order.
func (r *Ranking) Order(value string) []Suggestion {
	out := r.Nearest(value, shortlistSize)
	listed := make(map[int64]bool, len(out))
	for _, s := range out {
		listed[s.ID] = true
	}
	for _, c := range r.candidates {
		if !listed[c.ID] {
			out = append(out, Suggestion{Candidate: c})
		}
	}
	return out
}

// names returns all names of the candidate.
func (c *Candidate) names() []string { return append([]string{c.Name}, c.OtherNames...) }

// FilterCandidates returns the candidates with a name that contains all words of a text, or
// words starting with them, in any order and ignoring case and accents; all of them for a
// text without a word.
func FilterCandidates(candidates []Candidate, text string) []Candidate {
	wanted := valueWords(foldText(text))
	return slices.DeleteFunc(slices.Clone(candidates), func(c Candidate) bool {
		return !slices.ContainsFunc(c.names(), func(name string) bool { return matchesPrefixes(valueWords(foldText(name)), wanted) })
	})
}

// matchesPrefixes reports whether each wanted word is a prefix of one in has.
func matchesPrefixes(has, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool {
		return !slices.ContainsFunc(has, func(h string) bool { return strings.HasPrefix(h, w) })
	})
}
