package review

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// PlanStore has plans written.
type PlanStore interface {
	BeginApply(ctx context.Context, tx pgx.Tx, key job.Key, by string, onStale job.StalePolicy) error
}

// Approval is what somebody says who wants a plan to be applied.
type Approval struct {
	Digest  string // of what they have seen
	OnStale job.StalePolicy
	By      string // as the token names them
}

// Apply has a plan written. STATE_CONFLICT where it does not wait for that, PLAN_CHANGED
// where something else was seen, APPROVAL_BY_OTHER where whoever made the import may not
// approve of it. Repeated, it returns the job as it is.
func (s *Service) Apply(ctx context.Context, ref job.Ref, said Approval) (*job.Job, error) {
	var j *job.Job
	var from job.Status
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		from = ""
		if j, err = s.store.LockJob(ctx, tx, ref.JobID); err != nil || isRepeatedApproval(j, said) {
			return err
		}
		if j, err = s.lockJob(ctx, tx, ref.JobID, job.AwaitingApproval); err != nil {
			return err
		}
		if err := approvalError(j, said); err != nil {
			return err
		}
		if from, _, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.Processing, ExpectedFrom: job.AwaitingApproval}); err != nil {
			return err
		}
		if err := s.store.BeginApply(ctx, tx, j.Key, said.By, said.OnStale); err != nil {
			return err
		}
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if from != "" {
		s.completeTask(ctx, j, from, job.Processing, job.PhaseApproval)
	}
	return j, nil
}

// isRepeatedApproval reports whether somebody has said so already.
func isRepeatedApproval(j *job.Job, said Approval) bool {
	return j.IsApplying() && j.Plan.Digest == said.Digest && j.Plan.AppliedBy == said.By && j.Plan.OnStale == said.OnStale
}

// approvalError returns why what was said does not approve of the plan.
func approvalError(j *job.Job, said Approval) error {
	switch {
	case said.Digest != j.Plan.Digest:
		return problem.New(problem.PlanChanged, "This is not the digest of what the import would change. Look at its changes again.").
			With("digest", problem.PlanChanged, "The planDigest of the import.")
	case j.Plan.Approval == job.ApprovalOther && (said.By == "" || said.By == j.Uploader):
		return problem.New(problem.ApprovalByOther, "Somebody other than who made the import has to approve of it.")
	}
	return nil
}
