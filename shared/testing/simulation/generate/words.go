package generate

import (
	"strings"

	"github.com/loadbay/loadbay/shared/job"
)

// LeaveOut is what a person says of a word whose rows are to be left out.
const LeaveOut = "-"

// foreign are the words that fields do not know, with their own words that a person may
// take them for.
var foreign = map[string][]string{
	"maybe": {"true", "false"},                  // of a boolean
	"lost":  {"draft", "published", "archived"}, // of the status of articles
	"hors":  {"FINISHED", "DNF", "DNS", "DSQ"},  // of that of results
}

// asks reports whether a person is asked about what nobody knows, and answers.
func (m *Import) asks() bool { return !m.AutoStart && !m.Skip && !m.SkipMapping }

// words is what a person says of words that fields do not know: a word, nothing, or to
// leave rows with it out.
func (g *generator) words() {
	for _, text := range []string{"maybe", "lost", "hors"} {
		g.Words[text] = one(g, append(foreign[text], "", LeaveOut)...)
	}
}

// said reports whether somebody has decided about a value.
func (m *Import) said(field, value string) bool { return m.decided == nil || m.decided[field][value] }

// settle puts in the place of a cell what a person said of its word, or of the name of
// its list. It reports whether rows with it are left out.
func (m *Import) settle(field string, c Cell) (settled Cell, left bool) {
	if !m.asks() {
		return c, false
	}
	word := strings.TrimSpace(c.text())
	if said, known := m.Words[word]; known && m.said(field, word) && (c.Code == "CELL_ENUM" || c.Code == "CELL_BOOLEAN") {
		if said == LeaveOut {
			return Cell{}, true
		}
		return Cell{Value: said}, false
	}
	if known := m.kind.listed[field]; known != nil && c.Code == "" && c.Value != "" && known[strings.ToLower(c.Value)] == "" && m.said(field, c.Value) {
		n := m.Values[c.Value]
		return Cell{Value: m.kind.numbered[n]}, n == 0
	}
	return c, false
}

// leaveOut is a row with so many values whose rows are left out, and without faults.
func (r *row) leaveOut(values int) {
	for range values {
		r.codes = append(r.codes, "CELL_UNRESOLVED")
	}
	r.outcome = job.Skipped
}
