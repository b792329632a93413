// Package review applies a person's decisions about an import: which field a column is, which entity a
// value means, that a value is left out, and the approval of a plan. One transaction saves the
// decision and changes the job's status; then the task token of the waiting Step Functions state is
// completed. If that fails, the reconcile job completes it: the job's status is authoritative.
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

// Store is the database; each file of this package declares the methods it needs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Jobs
	ColumnStore
	CellStore
	MappingStore
	PastAnswerStore
	PlanStore
}

// Jobs loads and updates jobs.
type Jobs interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	// AddContributor records that a person determined what the job writes.
	AddContributor(ctx context.Context, tx pgx.Tx, key job.Key, by string) error
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (from job.Status, ok bool, err error)
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// TaskCompleter completes the task of a phase once the awaited event has happened.
type TaskCompleter interface {
	CompleteIfDue(ctx context.Context, jobID job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (completed bool, err error)
}

// Service applies decisions.
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

// declaration returns the declaration of the job's type. tx may be nil.
func (s *Service) declaration(ctx context.Context, tx pgx.Tx, j *job.Job) (*entity.Declaration, error) {
	t, err := s.types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
	if problem.CodeOf(err) == problem.ImportTypeUnknown {
		return nil, problem.New(problem.StateConflict, "This version does not support imports of type %s.", j.ImportType)
	}
	if err != nil {
		return nil, err
	}
	return t.Declaration(), nil
}

// lockJob locks and returns the job until the transaction ends, if it is in one of the
// allowed statuses.
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
		return nil, problem.New(problem.UploadMissing, "The file of this import has not been uploaded yet.")
	}
	return nil, problem.New(problem.StateConflict, "This import %s. This is only possible while it %s.", j.Status.Clause(), allowed[0].Clause())
}

// endWait ends the wait of a phase: one transaction saves the decisions and moves the job;
// then the waiting task is completed. by is the person who confirmed, or "" if unknown.
func (s *Service) endWait(ctx context.Context, ref job.Ref, by string, from job.Status, phase job.Phase, t job.Transition, settle func(context.Context, pgx.Tx, *job.Job) error) (*job.Job, error) {
	var j *job.Job
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.lockJob(ctx, tx, ref.JobID, from); err != nil {
			return err
		}
		if err := settle(ctx, tx, j); err != nil {
			return err
		}
		if err := s.store.AddContributor(ctx, tx, j.Key, by); err != nil {
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

// completeTask records a committed transition and completes the task that waits for it,
// using the job's current state, which may have changed since.
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
		s.log.WarnContext(ctx, "complete waiting task; reconcile will retry", "phase", phase, "error", err)
	}
}

// invalidDecision is the error of an inconsistent decision; nothing of its request is saved.
func invalidDecision(format string, args ...any) *problem.Error {
	return problem.New(problem.MappingInvalid, format, args...)
}
