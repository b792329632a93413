package profile

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxWarnings bounds how much is listed one by one.
const maxWarnings = 50

// Warnings list what a profile decides about an import, or what of it does not fit:
// nobody has looked at it this time.
type Warnings struct {
	code  problem.Code
	used  *job.UsedProfile
	lines []string
	more  int // beyond maxWarnings
}

// NewDecisionWarnings returns a list of what a profile decides.
func NewDecisionWarnings(used *job.UsedProfile) *Warnings {
	return &Warnings{code: problem.ProfileDecided, used: used}
}

// NewMismatchWarnings returns a list of what a profile says that the file has nothing for, or that
// holds no more.
func NewMismatchWarnings(used *job.UsedProfile) *Warnings {
	return &Warnings{code: problem.ProfileMisfit, used: used}
}

// Add adds what is so, as the beginning of a sentence: `column "Mail" is EMAIL`.
func (w *Warnings) Add(what string) {
	if len(w.lines) == maxWarnings {
		w.more++
		return
	}
	w.lines = append(w.lines, fmt.Sprintf("%s: %s, by version %d of the profile %q", w.code, what, w.used.Version, w.used.Name))
}

// Lines returns the warnings, each beginning with its code; the last one says how many
// there are beside, if they are too many.
func (w *Warnings) Lines() []string {
	if w == nil {
		return nil
	}
	if w.more == 0 {
		return w.lines
	}
	return append(w.lines[:len(w.lines):len(w.lines)], fmt.Sprintf("%s: and %d more", w.code, w.more))
}
