package resolve

import (
	"fmt"
	"slices"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// decisionNotes are the warnings about values that mappings have decided, or that have a
// target which no longer exists.
type decisionNotes struct {
	decided, misfit *profile.Warnings
	givenMisfits    []string // of the mapping from the request
}

func newDecisionNotes(used *job.UsedProfile) *decisionNotes {
	if used == nil {
		return &decisionNotes{}
	}
	return &decisionNotes{decided: profile.NewDecisionWarnings(used), misfit: profile.NewMismatchWarnings(used)}
}

// addDecided adds the match of a value decided by a profile. Matches of the mapping from the
// request are not reported, since the sender specified them for this file.
func (n *decisionNotes) addDecided(s valueMapping, m *job.MappedCell) {
	if s.profile != nil {
		n.decided.Add(fmt.Sprintf("value %.60q of %s %s", m.Value, m.TargetField, describeMatch(m)))
	}
}

// maxMisfits is the maximum number of warnings about targets that a mapping from the request
// cannot have.
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

// describeMatch describes the match of a value for a message.
func describeMatch(m *job.MappedCell) string {
	switch {
	case m.Status == job.Ignored:
		return "is ignored and its rows are skipped"
	case m.Empty:
		return "is left empty"
	case m.Create:
		return "gets a new entity"
	case m.TargetValue != "":
		return fmt.Sprintf("is %.60q", m.TargetValue)
	}
	return "is " + m.EntityID
}
