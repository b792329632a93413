package head

import (
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/sheet"
)

const (
	// SampledRows are enough to tell what kind of values a column holds.
	SampledRows = 50
	// sampleLength is the most characters of a sample.
	sampleLength = 80
)

// Samples are the first values of each column of a file.
type Samples struct {
	texts  [][]string
	nested []bool // whether all of them are objects or arrays
}

// NewSamples returns those of so many columns, of which there are none yet.
func NewSamples(columns int) *Samples {
	return &Samples{texts: make([][]string, columns), nested: make([]bool, columns)}
}

// Add takes samples from a row.
func (s *Samples) Add(r *sheet.Row) {
	for i, c := range r.Cells {
		if i < len(s.texts) && len(s.texts[i]) < SampledRows && len(c.Bytes) > 0 {
			s.nested[i] = c.Kind == sheet.JSON && (s.nested[i] || len(s.texts[i]) == 0)
			s.texts[i] = append(s.texts[i], Cut(string(c.Shown())))
		}
	}
}

// Of returns up to n samples of a column.
func (s *Samples) Of(column, n int) []string { return s.texts[column][:min(n, len(s.texts[column]))] }

// Match says what the columns of that header are, where people are asked about them or
// not; in their order. What an error workbook says about its rows is no data, and has no
// match.
func (s *Samples) Match(matcher *mapping.Matcher, header []string, asked bool) []mapping.Match {
	columns := make([]mapping.Column, 0, len(header))
	for i, name := range header {
		if !sheet.Annotation(name) {
			columns = append(columns, mapping.Column{Index: i, Header: name, Samples: s.texts[i], Nested: s.nested[i]})
		}
	}
	matches := matcher.Match(columns)
	matcher.Weigh(matches, asked)
	return matches
}

// Cut is a text as far as it is shown as a sample.
func Cut(s string) string {
	if r := []rune(s); len(r) > sampleLength {
		return string(r[:sampleLength]) + "…"
	}
	return s
}
