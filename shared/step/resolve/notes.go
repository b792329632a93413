package resolve

import (
	"fmt"
	"slices"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// decisionNotes are what is told of values that mappings have decided about, or that they wanted
// to be something that is not there any more.
type decisionNotes struct {
	decided, misfit *profile.Warnings
	givenMisfits    []string // of the mapping that came with the job
}

func newDecisionNotes(used *job.UsedProfile) *decisionNotes {
	if used == nil {
		return &decisionNotes{}
	}
	return &decisionNotes{decided: profile.NewDecisionWarnings(used), misfit: profile.NewMismatchWarnings(used)}
}

// addDecided notes what a value stands for by a profile. That of a mapping which came with
// the job is what its sender said of this very file.
func (n *decisionNotes) addDecided(s valueMapping, m *job.MappedCell) {
	if s.profile != nil {
		n.decided.Add(fmt.Sprintf("value %.60q of %s %s", m.Value, m.TargetField, describeMatch(m)))
	}
}

// maxMisfits is how many values are told that a mapping which came with the job cannot have.
const maxMisfits = 50

func (n *decisionNotes) addMisfit(s valueMapping, m *job.MappedCell, why string) {
	what := fmt.Sprintf("value %.60q of %s: %s", m.Value, m.TargetField, why)
	switch {
	case s.profile != nil:
		n.misfit.Add(what)
	case len(n.givenMisfits) < maxMisfits:
		n.givenMisfits = append(n.givenMisfits, fmt.Sprintf("%s: %s", problem.MappingUnfit, what))
	}
}

func (n *decisionNotes) lines() []string {
	return slices.Concat(n.givenMisfits, n.decided.Lines(), n.misfit.Lines())
}

// describeMatch says in words what a value was taken for.
func describeMatch(m *job.MappedCell) string {
	switch {
	case m.Status == job.Ignored:
		return "has its rows left out"
	case m.Empty:
		return "is left empty"
	case m.Create:
		return "gets an entity of its own"
	case m.TargetValue != "":
		return fmt.Sprintf("is %.60q", m.TargetValue)
	}
	return "is " + m.EntityID
}
