package review

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/apikey"
	"github.com/loadbay/loadbay/shared/problem"
)

// PlanStore stores the approval of plans.
type PlanStore interface {
	BeginApply(ctx context.Context, tx pgx.Tx, j *job.Job, by string, onStale job.StalePolicy) error
	// HasContributed reports whether a person determined what the job writes.
	HasContributed(ctx context.Context, tx pgx.Tx, key job.Key, by string) (bool, error)
}

// Approval is a person's approval of a plan.
type Approval struct {
	Digest  string // digest of the plan that the person reviewed
	OnStale job.StalePolicy
	By      string // approver as named by the token
}

// Apply starts writing a plan. It returns STATE_CONFLICT if the job does not wait for
// approval, PLAN_CHANGED if the digest is that of another plan, APPROVAL_BY_OTHER if the person
// contributed to the import and may therefore not approve it, and TABLE_CHANGED if the table of a
// declared type has changed: the plan waits until it is restored. A repeated call returns the job
// unchanged.
func (s *Service) Apply(ctx context.Context, ref job.Ref, approval Approval) (*job.Job, error) {
	var j *job.Job
	var from job.Status
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		from = ""
		if j, err = s.store.LockJob(ctx, tx, ref.JobID); err != nil || isRepeatedApproval(j, approval) {
			return err
		}
		if j, err = s.lockJob(ctx, tx, ref.JobID, job.AwaitingApproval); err != nil {
			return err
		}
		if err := s.checkApproval(ctx, tx, j, approval); err != nil {
			return err
		}
		if err := s.checkTable(ctx, tx, j); err != nil {
			return err
		}
		if from, _, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.Processing, ExpectedFrom: job.AwaitingApproval}); err != nil {
			return err
		}
		if err := s.store.BeginApply(ctx, tx, j, approval.By, approval.OnStale); err != nil {
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

// checkTable reports whether the plan's table is as its type requires.
func (s *Service) checkTable(ctx context.Context, tx pgx.Tx, j *job.Job) error {
	if j.Undo != nil || j.TypeVersion == 0 {
		return nil
	}
	t, err := s.types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return err
	}
	return entity.WithCurrent(ctx, tx, t, func(entity.Type, []string) error { return nil })
}

// isRepeatedApproval reports whether the same approval was given before.
func isRepeatedApproval(j *job.Job, approval Approval) bool {
	return j.IsApplying() && j.Plan.Digest == approval.Digest && j.Plan.AppliedBy == approval.By && j.Plan.OnStale == approval.OnStale
}

// checkApproval returns the reason why the approval is invalid for the plan.
func (s *Service) checkApproval(ctx context.Context, tx pgx.Tx, j *job.Job, approval Approval) error {
	switch {
	case approval.Digest != j.Plan.Digest:
		return problem.New(problem.PlanChanged, "The planned changes are different from those that you reviewed. Review them again before you approve.").
			With("digest", problem.PlanChanged, "The current planDigest of the import.")
	case j.Undo != nil && approval.OnStale != job.SkipStale:
		return problem.New(problem.ParameterInvalid, "An undo keeps what was changed since, as its mode requires. Approve it with onStale=skip.").
			With("onStale", problem.ParameterInvalid, problem.OneOf([]job.StalePolicy{job.SkipStale}))
	case j.Plan.Approval != job.ApprovalOther:
		return nil
	}
	// A person without a name could be anybody, and an API key belongs to no particular person.
	contributed := approval.By == "" || strings.HasPrefix(approval.By, apikey.SubjectPrefix)
	if !contributed {
		var err error
		if contributed, err = s.store.HasContributed(ctx, tx, j.Key, approval.By); err != nil {
			return err
		}
	}
	if contributed {
		return problem.New(problem.ApprovalByOther, "The import must be approved by someone who did not contribute to it. Ask a colleague who neither uploaded, mapped nor corrected it.")
	}
	return nil
}
