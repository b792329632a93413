package mapping

import (
	"slices"
	"strings"
)

// Candidate is an entity, or a word, that a value can stand for.
type Candidate struct {
	ID         int64
	Name       string
	OtherNames []string // by which it is found too
	IsWord     bool     // it is a word that the field takes, and no entity
}

// Suggestion is a candidate with its similarity to a value: above 0 and below 1,
// or 0 for one that is not similar.
type Suggestion struct {
	Candidate
	Score float64
}

// Ranking puts the candidates for a field's values in an order that helps a person
// to choose. It decides nothing. It is safe for concurrent use.
type Ranking struct {
	candidates []Candidate
	similar    *suggester
}

// NewRanking prepares candidates. Equally similar ones stay in the given order.
func NewRanking(candidates []Candidate) *Ranking {
	r := &Ranking{candidates: candidates, similar: newSuggester()}
	for i, c := range candidates {
		for _, name := range c.names() {
			r.similar.add(i, name)
		}
	}
	return r
}

// Nearest returns the candidates that are similar to a value, up to limit of them,
// the most similar first.
func (r *Ranking) Nearest(value string, limit int) []Suggestion {
	suggestions := r.similar.suggest(value, limit)
	out := make([]Suggestion, len(suggestions))
	for i, s := range suggestions {
		out[i] = Suggestion{Candidate: r.candidates[s.candidate], Score: s.score}
	}
	return out
}

// Order returns all candidates: those that Nearest finds, then the others in the
// given order. For the value "" that is the given order.
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

// names are all by which the candidate is known.
func (c *Candidate) names() []string { return append([]string{c.Name}, c.OtherNames...) }

// FilterCandidates returns the candidates one of whose names holds all words of a text, or
// their beginnings, in any order and without regard to case and accents; all of
// them for a text without a word.
func FilterCandidates(candidates []Candidate, text string) []Candidate {
	wanted := valueWords(foldText(text))
	return slices.DeleteFunc(slices.Clone(candidates), func(c Candidate) bool {
		return !slices.ContainsFunc(c.names(), func(name string) bool { return matchesPrefixes(valueWords(foldText(name)), wanted) })
	})
}

// matchesPrefixes reports whether each wanted word is the beginning of one that there is.
func matchesPrefixes(has, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool {
		return !slices.ContainsFunc(has, func(h string) bool { return strings.HasPrefix(h, w) })
	})
}
