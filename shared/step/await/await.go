// Package await implements the waiting states. For approvals it first determines whether one
// is needed. It stores the task token and then checks whether the event that the state waits
// for has already happened; if so, it completes the task immediately. In this order no
// completion can miss the token.
package await

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/callback"
)

// Store reads jobs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	MarkCallbackSent(ctx context.Context, tx pgx.Tx, key job.Key) error
	Plans
}

// Tokens stores task tokens.
type Tokens interface {
	SaveToken(ctx context.Context, jobID job.ID, phase job.Phase, token string) error
}

// TaskCompleter completes waiting tasks.
type TaskCompleter interface {
	CompleteToken(ctx context.Context, token, next string) error
}

// Step is the await function.
type Step struct {
	store    Store
	tokens   Tokens
	tasks    TaskCompleter
	types    Types
	recorder job.Recorder
}

// New returns the step.
func New(store Store, tokens Tokens, tasks TaskCompleter, types Types, recorder job.Recorder) *Step {
	return &Step{store: store, tokens: tokens, tasks: tasks, types: types, recorder: recorder}
}

// Input is the input from the state machine.
type Input struct {
	job.Ref
	Phase     job.Phase `json:"phase"`
	TaskToken string    `json:"taskToken"`
}

// Run saves the token, or completes the task with it.
func (s *Step) Run(ctx context.Context, in Input) error {
	if err := s.tokens.SaveToken(ctx, in.JobID, in.Phase, in.TaskToken); err != nil {
		return err
	}
	if in.Phase == job.PhaseApproval {
		if err := s.decideApproval(ctx, in.Ref); err != nil {
			return fmt.Errorf("await %s: %w", in.Phase, err)
		}
	}
	var j *job.Job
	err := s.store.InOrganisation(ctx, in.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = s.store.Job(ctx, tx, in.JobID)
		return err
	})
	if err != nil {
		return fmt.Errorf("await %s: %w", in.Phase, err)
	}
	next, due := callback.Due(j, in.Phase)
	if !due {
		return nil
	}
	if err := s.tasks.CompleteToken(ctx, in.TaskToken, next); err != nil {
		return err
	}
	if in.Phase != job.PhaseRows {
		return nil
	}
	return s.store.InOrganisation(ctx, in.OrganisationID, func(tx pgx.Tx) error {
		return s.store.MarkCallbackSent(ctx, tx, j.Key)
	})
}
