package recall

import (
	"fmt"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxWarnings bounds how much of what memory decided is listed one by one.
const maxWarnings = 50

// Warnings lists what memory decided about an import, and where that comes from:
// nobody has looked at it this time.
type Warnings struct {
	lines []string
	more  int // beyond maxWarnings
}

// Column notes that a column is what was decided before.
func (w *Warnings) Column(d *job.ColumnDecision) {
	what := "is ignored"
	if d.TargetField != "" {
		what = "is " + d.TargetField
	}
	w.add(fmt.Sprintf("column %.60q %s", d.Header, what), d.DecidedIn, d.DecidedAt)
}

// Cell notes that a value stands for what was decided before.
func (w *Warnings) Cell(value string, d *job.CellDecision) {
	what := "is ignored"
	switch {
	case d.Create:
		what = "gets an entity of its own"
	case d.EntityID != "":
		what = "is " + d.EntityID
	}
	w.add(fmt.Sprintf("value %.60q of %s %s", value, d.TargetField, what), d.DecidedIn, d.DecidedAt)
}

func (w *Warnings) add(what string, in job.ID, at time.Time) {
	if len(w.lines) == maxWarnings {
		w.more++
		return
	}
	where := "an import that is not known any more"
	if in != "" {
		where = "import " + string(in)
	}
	w.lines = append(w.lines, fmt.Sprintf("%s: %s, as decided in %s at %s", problem.WarnRemembered, what, where, at.UTC().Format(time.RFC3339)))
}

// Lines returns the warnings, each beginning with its code; the last one says how
// many there are beside, if they are too many.
func (w *Warnings) Lines() []string {
	if w.more == 0 {
		return w.lines
	}
	return append(w.lines[:len(w.lines):len(w.lines)], fmt.Sprintf("%s: and %d more", problem.WarnRemembered, w.more))
}
