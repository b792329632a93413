package generate

import (
	"strings"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Ignore is the decision to skip rows with a word.
const Ignore = "-"

// unknownWords are unknown words, with the field's words to which a person may map them.
var unknownWords = map[string][]string{
	"maybe": {"true", "false"},                  // for a boolean
	"lost":  {"draft", "published", "archived"}, // for the status of articles
	"hors":  {"FINISHED", "DNF", "DNS", "DSQ"},  // for the status of results
}

// isInteractive reports whether a person is asked about unknown columns and values, and answers.
func (m *Import) isInteractive() bool { return !m.AutoStart && !m.SkipDecisions && !m.SkipMapping }

// drawWordDecisions draws a person's decisions about unknown words: a word, no value, or skipping
// their rows.
func (g *generator) drawWordDecisions() {
	for _, text := range []string{"maybe", "lost", "hors"} {
		g.WordDecisions[text] = pickOne(g, append(unknownWords[text], "", Ignore)...)
	}
}

// isDecided reports whether a value has been decided.
func (m *Import) isDecided(field, value string) bool {
	return m.decided == nil || m.decided[field][value]
}

// applyDecision replaces a cell by the decision about its word or list value. It reports whether
// rows with it are skipped.
func (m *Import) applyDecision(field string, c Cell) (settled Cell, left bool) {
	if !m.isInteractive() {
		return c, false
	}
	word := strings.TrimSpace(c.text())
	if decision, known := m.WordDecisions[word]; known && m.isDecided(field, word) && (c.Code == "CELL_ENUM" || c.Code == "CELL_BOOLEAN") {
		if decision == Ignore {
			return Cell{}, true
		}
		return Cell{Value: decision}, false
	}
	if known := m.kind.listValues[field]; known != nil && c.Code == "" && c.Value != "" && known[strings.ToLower(c.Value)] == "" && m.isDecided(field, c.Value) {
		n := m.EntityDecisions[c.Value]
		return Cell{Value: m.kind.numbered[n]}, n == 0
	}
	return c, false
}

// ignoreValues adds the results of a valid row with the given number of ignored values.
func (r *row) ignoreValues(values int) {
	for range values {
		r.codes = append(r.codes, "CELL_UNRESOLVED")
	}
	r.outcome = rowwrite.Skipped
}
