package content

import (
	"strings"
	"unicode"
)

// Summary is what the values of a column are like.
type Summary struct {
	Filled   int64 // values
	Distinct int64 // different ones
	AtLeast  bool  // there are more than Distinct
	Kind     Kind  // what most of the values are; 0: text
	Share    float64
	Values   []string // the first different ones, long ones cut off
	counts   []int64  // of those
	shares   [kindCount]float64
}

// Summary sums up what was seen of a column.
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

// ShareOf is the share of the values that are of one of the kinds, at least.
func (s *Summary) ShareOf(k Kind) (most float64) {
	for i := range kindCount {
		if k&(1<<i) != 0 {
			most = max(most, s.shares[i])
		}
	}
	return most
}

// ShareOfWords is the share of the values that pass a test, which is asked about the first
// different ones.
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

// Samples returns up to so many of the values, chosen to differ: each of another form than
// those before it, as long as there are any.
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

// patternOf is the text with runs of digits and of letters as one.
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
