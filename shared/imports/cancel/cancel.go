// Package cancel cancels an import that has not ended: it stops the execution and reports the event.
// Rows that are already written stay, and can be undone.
package cancel

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store loads and updates jobs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (from job.Status, ok bool, err error)
}

// Stopper stops the execution of a job.
type Stopper interface {
	Stop(ctx context.Context, jobID job.ID, reason string) error
}

// Service cancels imports.
type Service struct {
	store    Store
	stopper  Stopper
	recorder job.Recorder
	log      *slog.Logger
}

// New returns the service.
func New(store Store, stopper Stopper, recorder job.Recorder, log *slog.Logger) *Service {
	return &Service{store: store, stopper: stopper, recorder: recorder, log: log}
}

// stopTimeout is the time limit for stopping the execution of a cancelled job before the caller gets
// its response anyway.
const stopTimeout = 5 * time.Second

// Cancel cancels a job. The cancellation is final once the status is committed: chunks that have not
// committed by then never will. A job that has committed its last chunk, or that has ended, can
// no longer be cancelled: STATE_CONFLICT. Stopping the execution only saves work.
func (s *Service) Cancel(ctx context.Context, ref job.Ref) (*job.Job, error) {
	var j *job.Job
	var from job.Status
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, from, err = s.transition(ctx, tx, ref.JobID)
		return err
	})
	if err != nil {
		return nil, err
	}
	ctx = telemetry.WithJob(ctx, j)
	s.recorder.Record(ctx, j, from, job.Cancelled)
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer done()
	if err := s.stopper.Stop(ctx, j.ID, "cancelled by the caller"); err != nil {
		s.log.WarnContext(ctx, "stop execution of cancelled job", "error", err)
	}
	return j, nil
}

// transition changes the status of the job and returns the changed job with its previous status.
func (s *Service) transition(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, job.Status, error) {
	j, err := s.store.Job(ctx, tx, id)
	if err != nil {
		return nil, "", err
	}
	from, moved, err := s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.Cancelled})
	if err != nil {
		return nil, "", err
	}
	if j, err = s.store.Job(ctx, tx, id); err != nil {
		return nil, "", err
	}
	if !moved {
		return nil, "", notCancellable(j)
	}
	return j, from, nil
}

// notCancellable returns the error for a job that can no longer be cancelled.
func notCancellable(j *job.Job) error {
	why := "this import " + j.Status.Clause()
	if j.Status == job.Processing {
		why = "all rows of this import are written and it is about to complete"
	}
	return problem.New(problem.StateConflict, "This import can no longer be cancelled: %s. Rows that were written are kept; see the results of import %s.", why, j.ID)
}
