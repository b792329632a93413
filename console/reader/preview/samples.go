package preview

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/sheet"
)

const (
	// sampledRows is enough rows to tell which kind of values a column contains.
	sampledRows = 50
	// sampleLength is the maximum length of a sample, in characters.
	sampleLength = 80
)

// samples are the first values of each column of a file.
type samples struct {
	texts  [][]string
	nested []bool // whether all of them are objects or arrays
}

// newSamples returns empty samples for the given number of columns.
func newSamples(columns int) *samples {
	return &samples{texts: make([][]string, columns), nested: make([]bool, columns)}
}

// add takes samples from a row.
func (s *samples) add(r *sheet.Row) {
	for i, c := range r.Cells {
		if i < len(s.texts) && len(s.texts[i]) < sampledRows && len(c.Bytes) > 0 {
			s.nested[i] = c.Kind == sheet.JSON && (s.nested[i] || len(s.texts[i]) == 0)
			s.texts[i] = append(s.texts[i], shortenSample(string(c.DisplayText())))
		}
	}
}

// match returns the matches of the header's columns, in order. asked reports whether a
// person will review them. The columns that an error workbook adds are no data and have no match.
func (s *samples) match(matcher *mapping.Matcher, header []string, asked bool) []mapping.Match {
	columns := make([]mapping.Column, 0, len(header))
	for i, name := range header {
		if !job.IsAnnotationHeader(name) {
			columns = append(columns, mapping.Column{Index: i, Header: name, Samples: s.texts[i], Nested: s.nested[i]})
		}
	}
	matches := matcher.Match(columns)
	matcher.ApplySamples(matches, asked)
	return matches
}

// shortenSample cuts a text to the length of a sample.
func shortenSample(s string) string {
	if r := []rune(s); len(r) > sampleLength {
		return string(r[:sampleLength]) + "…"
	}
	return s
}
