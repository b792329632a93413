package submit

import (
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/problem"
)

// checkPlanning rejects requests that cannot be planned.
func (r *Request) checkPlanning() error {
	invalid := problem.New(problem.ParameterInvalid, "The plan settings are not valid.")
	if r.Guards != nil {
		for field := range r.Guards.Fields {
			if !slices.ContainsFunc(r.Type.Fields, func(f entity.Field) bool { return f.Name == field }) {
				invalid.With("guards", problem.ParameterInvalid, "Use the names of fields in GET /api/import-types.")
				break
			}
		}
	}
	if r.DryRun {
		for field, wanted := range map[string]bool{"plan": r.Plan, "approval": r.Approval == job.ApprovalOther, "guards": r.Guards != nil && !r.Guards.Empty()} {
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
	p := &job.Plan{Requested: r.Plan || r.Approval == job.ApprovalOther, Approval: r.Approval, Guards: own.Guards}
	if r.Guards != nil {
		p.Guards = p.Guards.Merge(*r.Guards)
	}
	if own.Approval == job.ApprovalOther {
		p.Approval = job.ApprovalOther
	}
	if !p.Requested && p.Guards.Empty() {
		return nil
	}
	return p
}
