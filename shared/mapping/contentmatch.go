package mapping

import (
	"bytes"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/mapping/content"
)

// contentConfidence is the confidence of a match by values alone: below every similarity.
const contentConfidence = 0.7

// minSamples is the minimum number of values that can contradict a header.
const minSamples = 3

// ApplySamples revises matches using the sample values.
//
// A column with a header that is only similar to a field, and without a valid value for the
// field, becomes unresolved. If nobody is asked, this applies only to required fields: the
// import then fails visibly. Any other column would be omitted silently, whereas its
// invalid values produce visible errors.
//
// A column without a match is matched to a field that its values determine, if only one such
// field and one such column are left: mail addresses, countries, phone numbers, the words of
// a choice. Dates, numbers and ids are too ambiguous. A person has to confirm the match; if
// nobody is asked, values alone decide nothing.
func (m *Matcher) ApplySamples(matches []Match, asked bool) {
	for i := range matches {
		c := &matches[i]
		if c.Reason != BySimilarity {
			continue
		}
		t := &m.index.targets[m.index.targetPlace(c.Target)]
		if (asked || t.Required) && nonBlankSamples(c.Column.Samples) >= minSamples && fit(t, c.Column.Samples) < 0 {
			c.Target, c.Confidence, c.Status, c.Reason = "", 0, Unresolved, Contradicted
		}
	}
	if asked {
		m.matchContent(matches)
	}
}

func nonBlankSamples(samples []string) (n int) {
	for _, s := range samples {
		if strings.TrimSpace(s) != "" {
			n++
		}
	}
	return n
}

// matchContent matches columns to the fields that their values determine.
func (m *Matcher) matchContent(matches []Match) {
	detector := content.NewDetector()
	for place := range m.index.targets {
		t := &m.index.targets[place]
		taken := slices.ContainsFunc(matches, func(c Match) bool { return c.Target == t.Name })
		if taken {
			continue
		}
		if found := m.unmatchedColumnsOf(matches, t, detector); len(found) == 1 && m.isOnlyMatch(matches[found[0]].Column.Samples, place, detector) {
			c := &matches[found[0]]
			c.Target, c.Confidence, c.Status, c.Reason = t.Name, contentConfidence, AutoMatched, ByContent
		}
	}
}

// unmatchedColumnsOf returns the columns without a match that contain values of the target.
func (m *Matcher) unmatchedColumnsOf(matches []Match, t *target, d *content.Detector) (found []int) {
	for i := range matches {
		c := &matches[i]
		if c.Status == Unresolved && !c.Column.Nested && samplesDetermine(t, c.Column.Samples, d) {
			found = append(found, i)
		}
	}
	return found
}

// isOnlyMatch reports whether the samples determine no target but the one at that place.
func (m *Matcher) isOnlyMatch(samples []string, place int, d *content.Detector) bool {
	for other := range m.index.targets {
		if other != place && samplesDetermine(&m.index.targets[other], samples, d) {
			return false
		}
	}
	return true
}

// samplesDetermine reports whether the samples are very unlikely to belong to another target.
func samplesDetermine(t *target, samples []string, d *content.Detector) bool {
	if nonBlankSamples(samples) < minSamples {
		return false
	}
	if t.Kind == Choice {
		return len(t.Values) > 0 && fit(t, samples) > 0 && countDistinct(samples) > 1
	}
	kind := t.Content
	if t.Kind == Email {
		kind = content.Email
	}
	if kind&(content.Email|content.Phone|content.Country) == 0 {
		return false
	}
	for _, s := range samples {
		if text := bytes.TrimSpace([]byte(s)); len(text) > 0 && !d.Detect(text).Has(kind) {
			return false
		}
	}
	return true
}

// countDistinct counts the distinct values, ignoring case.
func countDistinct(samples []string) int {
	seen := make(map[string]bool)
	for _, s := range samples {
		if s = strings.ToLower(strings.TrimSpace(s)); s != "" {
			seen[s] = true
		}
	}
	return len(seen)
}
