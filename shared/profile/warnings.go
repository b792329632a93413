package profile

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxWarnings limits how many warnings are listed individually.
const maxWarnings = 50

// Warnings lists a profile's decisions about an import, or the parts of the profile that do not
// fit, because no person has confirmed them for this import.
type Warnings struct {
	code  problem.Code
	used  *job.UsedProfile
	lines []string
	more  int // beyond maxWarnings
}

// NewDecisionWarnings returns a list of a profile's decisions.
func NewDecisionWarnings(used *job.UsedProfile) *Warnings {
	return &Warnings{code: problem.ProfileDecided, used: used}
}

// NewMismatchWarnings returns a list of the parts of a profile that match nothing in the file or
// are no longer valid.
func NewMismatchWarnings(used *job.UsedProfile) *Warnings {
	return &Warnings{code: problem.ProfileMisfit, used: used}
}

// Add adds a statement that begins a sentence: `column "Mail" is EMAIL`.
func (w *Warnings) Add(what string) {
	if len(w.lines) == maxWarnings {
		w.more++
		return
	}
	w.lines = append(w.lines, fmt.Sprintf("%s: %s (version %d of profile %q)", w.code, what, w.used.Version, w.used.Name))
}

// Lines returns the warnings, each beginning with its code. If there are too many, the last
// one contains the number of omitted warnings.
func (w *Warnings) Lines() []string {
	if w == nil {
		return nil
	}
	if w.more == 0 {
		return w.lines
	}
	return append(w.lines[:len(w.lines):len(w.lines)], fmt.Sprintf("%s: and %d more", w.code, w.more))
}
