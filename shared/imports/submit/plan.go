package submit

import (
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/problem"
)

// PlanOptions are a request's options for planning the import before it is applied.
type PlanOptions struct {
	// Asked makes the import wait for approval regardless of what it would change.
	Asked    bool
	Approval job.Approval // "": from the organisation's settings
	Guards   *job.Guards  // nil: from the organisation's settings
}

// checkPlanning rejects requests that cannot be planned.
func (r *Request) checkPlanning() error {
	p := &r.Planning
	invalid := problem.New(problem.ParameterInvalid, "The plan settings are not valid.")
	if !p.Approval.Valid() {
		invalid.With("approval", problem.ParameterInvalid, problem.OneOf([]job.Approval{job.ApprovalAny, job.ApprovalOther}))
	}
	if p.Guards != nil && !p.Guards.Valid() {
		invalid.With("guards", problem.ParameterInvalid, settings.GuardsRule)
	}
	if p.Guards != nil {
		for field := range p.Guards.Fields {
			if !slices.ContainsFunc(r.Type.Fields, func(f entity.Field) bool { return f.Name == field }) {
				invalid.With("guards", problem.ParameterInvalid, "Use the names of fields in GET /api/import-types.")
				break
			}
		}
	}
	if r.DryRun {
		for field, wanted := range map[string]bool{"plan": p.Asked, "approval": p.Approval == job.ApprovalOther, "guards": p.Guards != nil && !p.Guards.Empty()} {
			if wanted {
				invalid.With(field, problem.ParameterInvalid, "Omit it: a dry run cannot be planned.")
			}
		}
	}
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}

// plan returns the import's plan settings; nil if the rows are written immediately. Requiring
// approval by a second person implies waiting for approval.
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
