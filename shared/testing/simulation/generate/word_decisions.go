package generate

import (
	"strings"

	"github.com/loadbay/loadbay/shared/job"
)

// Ignore is what a person says of a word whose rows are to be left out.
const Ignore = "-"

// unknownWords are the words that fields do not know, with their own words that a person may
// take them for.
var unknownWords = map[string][]string{
	"maybe": {"true", "false"},                  // of a boolean
	"lost":  {"draft", "published", "archived"}, // of the status of articles
	"hors":  {"FINISHED", "DNF", "DNS", "DSQ"},  // of that of results
}

// isInteractive reports whether a person is asked about what nobody knows, and answers.
func (m *Import) isInteractive() bool { return !m.AutoStart && !m.SkipDecisions && !m.SkipMapping }

// drawWordDecisions is what a person says of words that fields do not know: a word, nothing, or to
// leave rows with it out.
func (g *generator) drawWordDecisions() {
	for _, text := range []string{"maybe", "lost", "hors"} {
		g.WordDecisions[text] = pickOne(g, append(unknownWords[text], "", Ignore)...)
	}
}

// isDecided reports whether somebody has decided about a value.
func (m *Import) isDecided(field, value string) bool {
	return m.decided == nil || m.decided[field][value]
}

// applyDecision puts in the place of a cell what a person said of its word, or of the name of
// its list. It reports whether rows with it are left out.
func (m *Import) applyDecision(field string, c Cell) (settled Cell, left bool) {
	if !m.isInteractive() {
		return c, false
	}
	word := strings.TrimSpace(c.text())
	if said, known := m.WordDecisions[word]; known && m.isDecided(field, word) && (c.Code == "CELL_ENUM" || c.Code == "CELL_BOOLEAN") {
		if said == Ignore {
			return Cell{}, true
		}
		return Cell{Value: said}, false
	}
	if known := m.kind.listValues[field]; known != nil && c.Code == "" && c.Value != "" && known[strings.ToLower(c.Value)] == "" && m.isDecided(field, c.Value) {
		n := m.EntityDecisions[c.Value]
		return Cell{Value: m.kind.numbered[n]}, n == 0
	}
	return c, false
}

// ignoreValues is a row with so many values whose rows are left out, and without faults.
func (r *row) ignoreValues(values int) {
	for range values {
		r.codes = append(r.codes, "CELL_UNRESOLVED")
	}
	r.outcome = job.Skipped
}
