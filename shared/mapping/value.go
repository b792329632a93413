package mapping

import (
	"errors"
	"fmt"
	"strings"
)

// Candidate is an entity that a value can stand for.
type Candidate struct {
	ID           string
	Name         string
	Alternatives []string // other spellings: codes, short names
}

// Value is a distinct value of a reference column.
type Value struct {
	Text string // as written
	Rows int64  // how many rows have it; only passed on
}

// ValueDecision is what a person decided about a value before.
type ValueDecision struct {
	Value       string // as written; ValueKey makes it the same as others
	CandidateID string // or "" with Ignored
	Ignored     bool
}

// Suggestion is a candidate that a value may stand for.
type Suggestion struct {
	ID    string
	Name  string
	Score float64 // above 0, below 1
}

// ValueMatch is the outcome for one value.
type ValueMatch struct {
	Value       Value
	CandidateID string // Candidate.ID, or "" if Status is Unresolved or Ignored
	Status      Status
	Confirmed   bool // a person decided so before: nothing is left to ask
	Reason      Reason
	Suggestions []Suggestion // for an Unresolved value, the most similar first
}

// Resolver finds out which candidates values stand for. It is safe for concurrent use.
type Resolver struct {
	candidates []Candidate
	byID       map[string]int
	exact      [3]map[string][]int // by the text as written, in lower case, normalised
	similar    *suggester
}

// NewResolver prepares candidates. It is an error if one has no id, or the id of
// another one. Names may occur twice; values that equal them are not resolved then.
func NewResolver(candidates []Candidate) (*Resolver, error) {
	r := &Resolver{candidates: candidates, byID: make(map[string]int, len(candidates)), similar: newSuggester()}
	for level := range r.exact {
		r.exact[level] = make(map[string][]int, len(candidates))
	}
	var faults []error
	for i, c := range candidates {
		if _, twice := r.byID[c.ID]; twice || c.ID == "" {
			faults = append(faults, fmt.Errorf("candidate %d: id %q is blank or occurs twice", i, c.ID))
		}
		r.byID[c.ID] = i
		r.learn(i, c.ID)
		for _, text := range append([]string{c.Name}, c.Alternatives...) {
			r.learn(i, text)
			r.similar.add(i, text)
		}
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("prepare candidates: %w", errors.Join(faults...))
	}
	return r, nil
}

func (r *Resolver) learn(candidate int, text string) {
	for level, key := range levels(text) {
		found := r.exact[level][key]
		if key != "" && (len(found) == 0 || found[len(found)-1] != candidate) {
			r.exact[level][key] = append(found, candidate)
		}
	}
}

// levels are the forms in which a value may equal a candidate, the strictest first.
func levels(text string) [3]string {
	trimmed := strings.Join(strings.Fields(text), " ")
	return [3]string{trimmed, strings.ToLower(trimmed), ValueKey(text)}
}

// Resolve returns what each value stands for, in the order of the values. Decisions
// come first, of two about the same value the one that stands first; those about
// candidates that no longer exist are passed over. An unresolved value gets up to
// limit suggestions.
func (r *Resolver) Resolve(values []Value, decisions []ValueDecision, limit int) []ValueMatch {
	decided := r.decided(decisions)
	matches := make([]ValueMatch, len(values))
	for i, v := range values {
		if d, ok := decided[ValueKey(v.Text)]; ok {
			matches[i] = remembered(v, d)
			continue
		}
		matches[i] = r.resolve(v, limit)
	}
	return matches
}

// decided returns the decisions that count, by the keys of their values.
func (r *Resolver) decided(decisions []ValueDecision) map[string]ValueDecision {
	out := make(map[string]ValueDecision, len(decisions))
	for _, d := range decisions {
		key := ValueKey(d.Value)
		if _, known := r.byID[d.CandidateID]; key == "" || !known && !d.Ignored {
			continue
		}
		if _, newer := out[key]; !newer {
			out[key] = d
		}
	}
	return out
}

func remembered(v Value, d ValueDecision) ValueMatch {
	m := ValueMatch{Value: v, CandidateID: d.CandidateID, Status: ManualMatched, Confirmed: true, Reason: ByDecision}
	if d.Ignored {
		m.CandidateID, m.Status = "", Ignored
	}
	return m
}

func (r *Resolver) resolve(v Value, limit int) ValueMatch {
	equal := r.equal(v.Text)
	switch {
	case strings.TrimSpace(v.Text) == "":
		return ValueMatch{Value: v, Status: Unresolved, Reason: Blank}
	case len(equal) == 1:
		return ValueMatch{Value: v, CandidateID: r.candidates[equal[0]].ID, Status: AutoMatched, Reason: ByName}
	}
	m := ValueMatch{Value: v, Status: Unresolved, Reason: Unknown, Suggestions: r.suggest(v.Text, limit)}
	if len(equal) > 1 {
		m.Reason = Ambiguous
	}
	return m
}

// equal returns the candidates that a value equals, by the strictest form in which
// it equals any.
func (r *Resolver) equal(text string) []int {
	for level, key := range levels(text) {
		if found := r.exact[level][key]; len(found) > 0 {
			return found
		}
	}
	return nil
}

func (r *Resolver) suggest(text string, limit int) []Suggestion {
	var out []Suggestion
	for _, s := range r.similar.suggest(text, limit) {
		c := &r.candidates[s.candidate]
		out = append(out, Suggestion{ID: c.ID, Name: c.Name, Score: s.score})
	}
	return out
}
