package mapping

import "fmt"

// Matcher matches columns to the targets of one dictionary. It is safe for
// concurrent use.
type Matcher struct {
	index *index
	loose *suggester // names of targets, for suggestions only
}

// New prepares a dictionary. It returns an error if a target has no name, the name of another
// one, or a blank alias. An alias may belong to several targets: sample values or a person
// then decide.
func New(d Dictionary) (*Matcher, error) {
	if err := d.validate(); err != nil {
		return nil, fmt.Errorf("prepare dictionary: %w", err)
	}
	m := &Matcher{index: newIndex(&d), loose: newSuggester(foldedValueWords)}
	for i := range d.Targets {
		for _, name := range append([]string{d.Targets[i].Title}, d.Targets[i].Aliases...) {
			m.loose.add(i, name)
		}
	}
	return m, nil
}

// Match returns the match of each column, in the order of the columns.
func (m *Matcher) Match(columns []Column) []Match {
	matches := make([]Match, len(columns))
	for i, c := range columns {
		matches[i] = Match{Column: c, Status: Unresolved, Reason: Unknown}
		if HeaderKey(c.Header) == "" {
			matches[i].Reason = NoHeader
		}
	}
	m.matchHeaders(matches)
	return matches
}

// matchHeaders matches the columns with meaningful headers.
func (m *Matcher) matchHeaders(matches []Match) {
	g := graph{index: m.index, matches: matches}
	for i := range matches {
		if matches[i].Reason == Unknown {
			g.addEdges(i, m.index.candidates(matches[i].Column.Header))
		}
	}
	g.useSamples()
	g.solve()
}
