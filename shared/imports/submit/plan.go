package submit

import (
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/problem"
)

// PlanOptions is what a request says of being rehearsed first.
type PlanOptions struct {
	// Asked says that the import waits for approval whatever it would change.
	Asked    bool
	Approval job.Approval // "": as the organisation's settings have it
	Guards   *job.Guards  // nil: as the organisation's settings have it
}

// checkPlanning refuses what makes no plan.
func (r *Request) checkPlanning() error {
	p := &r.Planning
	invalid := problem.New(problem.ParameterInvalid, "The import cannot be planned so.")
	if !p.Approval.Valid() {
		invalid.With("approval", problem.ParameterInvalid, problem.OneOf([]job.Approval{job.ApprovalAny, job.ApprovalOther}))
	}
	if p.Guards != nil && !p.Guards.Valid() {
		invalid.With("guards", problem.ParameterInvalid, settings.GuardsRule)
	}
	if p.Guards != nil {
		for field := range p.Guards.Fields {
			if !slices.ContainsFunc(r.Type.Fields, func(f entity.Field) bool { return f.Name == field }) {
				invalid.With("guards", problem.ParameterInvalid, "Fields by the names of the type's fields, as GET /api/import-types has them.")
				break
			}
		}
	}
	if r.DryRun {
		for field, wanted := range map[string]bool{"plan": p.Asked, "approval": p.Approval == job.ApprovalOther, "guards": p.Guards != nil && !p.Guards.Empty()} {
			if wanted {
				invalid.With(field, problem.ParameterInvalid, "Leave it out: a dry run cannot be planned.")
			}
		}
	}
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}

// plan is how the import is rehearsed; nil for one whose rows are written at once. Who
// wants a second person to approve wants it to wait.
func (r *Request) plan(own *settings.Settings) *job.Plan {
	if r.DryRun {
		return nil
	}
	p := &job.Plan{Requested: r.Planning.Asked || r.Planning.Approval == job.ApprovalOther, Approval: r.Planning.Approval, Guards: own.Guards}
	if r.Planning.Guards != nil {
		p.Guards = p.Guards.Merge(*r.Planning.Guards)
	}
	if own.Approval == job.ApprovalOther {
		p.Approval = job.ApprovalOther
	}
	if !p.Requested && p.Guards.Empty() {
		return nil
	}
	return p
}
