package mapping

import (
	"bytes"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/mapping/content"
)

// contentConfidence is that of a match by values alone: below every similarity.
const contentConfidence = 0.7

// minSamples is of how many values on they can contradict a header.
const minSamples = 3

// ApplySamples lets the sample values speak against and for matches.
//
// A column whose header is only similar to a field, and none of whose values the field
// would take, is no match. Where nobody is asked, that holds for required fields alone:
// the import then fails for want of one, which is seen. A column of any other field would be
// left out in silence, whereas its values as they are make errors that say so.
//
// A column without a match is a field that its values pin down, if there is but one
// such field left, and no other such column: mail addresses, countries, phone numbers,
// the words of a choice. Days, numbers and ids could be anything. A person has to
// agree; where nobody is asked, values alone decide nothing.
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

// matchContent gives columns the fields that their values pin down.
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

// unmatchedColumnsOf returns the columns without a match whose values are those of the target.
func (m *Matcher) unmatchedColumnsOf(matches []Match, t *target, d *content.Detector) (found []int) {
	for i := range matches {
		c := &matches[i]
		if c.Status == Unresolved && !c.Column.Nested && samplesDetermine(t, c.Column.Samples, d) {
			found = append(found, i)
		}
	}
	return found
}

// isOnlyMatch reports whether the samples pin down no target but the one at that place.
func (m *Matcher) isOnlyMatch(samples []string, place int, d *content.Detector) bool {
	for other := range m.index.targets {
		if other != place && samplesDetermine(&m.index.targets[other], samples, d) {
			return false
		}
	}
	return true
}

// samplesDetermine reports whether the samples can hardly be anything but values of the target.
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

// countDistinct counts the different values, without regard to case.
func countDistinct(samples []string) int {
	seen := make(map[string]bool)
	for _, s := range samples {
		if s = strings.ToLower(strings.TrimSpace(s)); s != "" {
			seen[s] = true
		}
	}
	return len(seen)
}
