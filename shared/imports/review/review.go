// Package review takes a person's decisions when an import asks: which field a
// column is, which entity a value stands for, or to go on without. A
// decision is kept and the job moved in one transaction; then the waiting task is
// completed. If that fails, reconcile does it: what counts is the job's status.
//
// Tested by shared/httpapi: decisions through the API, on a real database.
package review

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store is the database: what each part of the service asks of it is declared there.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Jobs
	ColumnStore
	CellStore
	MappingStore
	PlanStore
}

// Jobs keeps jobs.
type Jobs interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Touch(ctx context.Context, tx pgx.Tx, key job.Key) error
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (from job.Status, ok bool, err error)
}

// Types finds import types.
type Types interface {
	ByName(name string) (entity.Type, bool)
}

// TaskCompleter completes the task of a phase if what it waits for has happened.
type TaskCompleter interface {
	CompleteIfDue(ctx context.Context, jobID job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (completed bool, err error)
}

// Service takes decisions.
type Service struct {
	store    Store
	types    Types
	tasks    TaskCompleter
	recorder job.Recorder
	log      *slog.Logger
}

// New returns a service.
func New(store Store, types Types, tasks TaskCompleter, recorder job.Recorder, log *slog.Logger) *Service {
	return &Service{store: store, types: types, tasks: tasks, recorder: recorder, log: log}
}

// declaration is that of the job's type.
func (s *Service) declaration(j *job.Job) (*entity.Declaration, error) {
	t, known := s.types.ByName(j.ImportType)
	if !known {
		return nil, problem.New(problem.StateConflict, "This version cannot go on with imports of the type %s.", j.ImportType)
	}
	return t.Declaration(), nil
}

// lockJob returns the job, which nobody else can change until the transaction
// ends, if it is in one of the statuses.
func (s *Service) lockJob(ctx context.Context, tx pgx.Tx, id job.ID, allowed ...job.Status) (*job.Job, error) {
	j, err := s.store.LockJob(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	for _, status := range allowed {
		if j.Status == status {
			return j, nil
		}
	}
	if j.Status == job.Uploaded && j.UploadedAt == nil {
		return nil, problem.New(problem.UploadMissing, "The file of this import has not arrived yet.")
	}
	return nil, problem.New(problem.StateConflict, "This import %s; this can only be said while it %s.", j.Status.Clause(), allowed[0].Clause())
}

// endWait ends the wait of a phase: it settles what was said and moves the job on,
// in one transaction, and then completes the waiting task.
func (s *Service) endWait(ctx context.Context, ref job.Ref, from job.Status, phase job.Phase, t job.Transition, settle func(context.Context, pgx.Tx, *job.Job) error) (*job.Job, error) {
	var j *job.Job
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.lockJob(ctx, tx, ref.JobID, from); err != nil {
			return err
		}
		if err := settle(ctx, tx, j); err != nil {
			return err
		}
		if _, _, err := s.store.Transition(ctx, tx, j.Key, t); err != nil {
			return err
		}
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.completeTask(ctx, j, from, t.To, phase)
	return j, nil
}

// completeTimeout is how long completing the waiting task may delay the response.
const completeTimeout = 5 * time.Second

// completeTask records a transition that has been committed, and completes the task that
// waits for it: by what the job is then, which somebody may have changed since.
func (s *Service) completeTask(ctx context.Context, j *job.Job, from, to job.Status, phase job.Phase) {
	ctx, done := context.WithTimeout(context.WithoutCancel(telemetry.WithJob(ctx, j)), completeTimeout)
	defer done()
	s.recorder.Record(ctx, j, from, to)
	look := func(ctx context.Context) (now *job.Job, err error) {
		err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
			now, err = s.store.Job(ctx, tx, j.ID)
			return err
		})
		return now, err
	}
	if _, err := s.tasks.CompleteIfDue(ctx, j.ID, phase, look); err != nil {
		s.log.WarnContext(ctx, "the waiting task was not completed; reconcile will complete it", "phase", phase, "error", err)
	}
}

// invalidDecision is the error of a decision that makes no sense; nothing of its request is kept.
func invalidDecision(format string, args ...any) *problem.Error {
	return problem.New(problem.MappingInvalid, format, args...)
}
