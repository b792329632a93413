package content

import (
	"strings"
	"unicode"
)

// Summary describes the values of a column.
type Summary struct {
	Filled   int64 // number of values
	Distinct int64 // number of distinct values
	AtLeast  bool  // the actual number exceeds Distinct
	Kind     Kind  // kind of most values; 0: text
	Share    float64
	Values   []string // first distinct values; long ones are truncated
	counts   []int64  // number of occurrences of Values
	shares   [kindCount]float64
}

// Summary returns the summary of a column so far.
func (c *Columns) Summary(place int) Summary {
	of := c.columns[place]
	s := Summary{Filled: of.filled, Distinct: int64(len(of.values)), AtLeast: len(of.values) == maxDistinct}
	for _, e := range of.values[:min(maxSamples, len(of.values))] {
		s.Values, s.counts = append(s.Values, e.text), append(s.counts, e.count)
	}
	if !s.AtLeast {
		of.countKinds()
	}
	looked := of.filled - of.skipped%sampleStride
	if looked <= 0 {
		return s
	}
	s.Share = share(of.shares[kindCount], looked)
	for i := range kindCount {
		s.shares[i] = share(of.shares[i], looked)
		if s.shares[i] > s.Share {
			s.Kind, s.Share = 1<<i, s.shares[i]
		}
	}
	return s
}

func share(part, whole int64) float64 { return min(1, float64(part)/float64(whole)) }

// ShareOf returns the minimum share of the values that have one of the kinds.
func (s *Summary) ShareOf(k Kind) (most float64) {
	for i := range kindCount {
		if k&(1<<i) != 0 {
			most = max(most, s.shares[i])
		}
	}
	return most
}

// ShareOfWords returns the share of the values that satisfy is, which is called for the first
// distinct ones.
func (s *Summary) ShareOfWords(is func(string) bool) float64 {
	var all, passed int64
	for i, text := range s.Values {
		all += s.counts[i]
		if is(text) {
			passed += s.counts[i]
		}
	}
	if all == 0 {
		return 0
	}
	return float64(passed) / float64(all)
}

// Samples returns up to most values with different patterns, as far as there are any.
func (s *Summary) Samples(most int) []string {
	var chosen, rest []string
	forms := make(map[string]bool)
	for _, text := range s.Values {
		if form := patternOf(text); !forms[form] && len(chosen) < most {
			forms[form] = true
			chosen = append(chosen, text)
		} else {
			rest = append(rest, text)
		}
	}
	return append(chosen, rest[:min(len(rest), most-len(chosen))]...)
}

// patternOf returns the text with each run of digits or letters reduced to one.
func patternOf(text string) string {
	var b strings.Builder
	var last rune
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			r = '9'
		case unicode.IsLetter(r):
			r = 'a'
		}
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
