package mapping

import (
	"fmt"
	"slices"
)

// Matcher matches columns to the targets of one dictionary. It is safe for
// concurrent use.
type Matcher struct{ index *index }

// New prepares a dictionary. It is an error if a target has no name, or the name of
// another one, or a blank alias. One alias for several targets is none: sample
// values or a person decide then.
func New(d Dictionary) (*Matcher, error) {
	if err := d.validate(); err != nil {
		return nil, fmt.Errorf("prepare dictionary: %w", err)
	}
	return &Matcher{index: newIndex(&d)}, nil
}

// Match returns what each column is, in the order of the columns. Decisions come
// first, of two about the same header or target the one that stands first; those
// about targets that no longer exist are passed over.
func (m *Matcher) Match(columns []Column, decisions []Decision) []Match {
	matches := make([]Match, len(columns))
	for i, c := range columns {
		matches[i] = Match{Column: c, Status: Unresolved, Reason: Unknown}
	}
	taken := m.remember(matches, decisions)
	g := graph{index: m.index, matches: matches}
	for i := range matches {
		if matches[i].Reason == Unknown {
			g.add(i, m.index.candidates(matches[i].Column.Header))
		}
	}
	g.remove(taken)
	g.useSamples()
	g.settle()
	return matches
}

// Free returns the targets that no match takes, in the dictionary's order: what a
// person can choose from for an unresolved column.
func (m *Matcher) Free(matches []Match) []Target {
	var free []Target
	for i := range m.index.targets {
		t := &m.index.targets[i].Target
		if !slices.ContainsFunc(matches, func(m Match) bool { return m.Target == t.Name }) {
			free = append(free, *t)
		}
	}
	return free
}

// Missing is Free for the required targets: while there are any, the rows of the
// file cannot be valid.
func (m *Matcher) Missing(matches []Match) []Target {
	return slices.DeleteFunc(m.Free(matches), func(t Target) bool { return !t.Required })
}
