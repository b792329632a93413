package resolve

import (
	"fmt"
	"slices"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// notes are what is told of values that mappings have decided about, or that they wanted
// to be something that is not there any more.
type notes struct {
	decided, misfit *profile.Warnings
	unfit           []string // of the mapping that came with the job
}

func newNotes(used *job.UsedProfile) *notes {
	if used == nil {
		return &notes{}
	}
	return &notes{decided: profile.Decisions(used), misfit: profile.Misfits(used)}
}

// decide notes what a value stands for by a profile. That of a mapping which came with
// the job is what its sender said of this very file.
func (n *notes) decide(s source, m *job.MappedCell) {
	if s.profile != nil {
		n.decided.Add(fmt.Sprintf("value %.60q of %s %s", m.Value, m.TargetField, standsFor(m)))
	}
}

// maxUnfit is how many values are told that a mapping which came with the job cannot have.
const maxUnfit = 50

func (n *notes) miss(s source, m *job.MappedCell, why string) {
	what := fmt.Sprintf("value %.60q of %s: %s", m.Value, m.TargetField, why)
	switch {
	case s.profile != nil:
		n.misfit.Add(what)
	case len(n.unfit) < maxUnfit:
		n.unfit = append(n.unfit, fmt.Sprintf("%s: %s", problem.WarnMappingUnfit, what))
	}
}

func (n *notes) lines() []string { return slices.Concat(n.unfit, n.decided.Lines(), n.misfit.Lines()) }

// standsFor says in words what a value was taken for.
func standsFor(m *job.MappedCell) string {
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
