// Package reading shows a person the file of an import as it is read, and takes what they
// say of how it is to be read instead: another sheet, another row for the header, rows at
// the end that are no data, an encoding. The file is then analysed again by the same
// execution, and the import asks again; what has been said of its columns stays, as far
// as it fits.
//
// The job is UPLOADED meanwhile, as before its first analysis: all that a job may do and
// suffer there holds again. It is moved in one transaction with its new options; then the
// task that waits for the person is completed. If that fails, reconcile does it: what
// counts is the job's status.
//
// Tested by shared/httpapi: requests on a real database, and by shared/step.
package reading

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Store keeps jobs, and what is known of their files.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Reanalyze(ctx context.Context, tx pgx.Tx, key job.Key, options json.RawMessage) error
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (from job.Status, ok bool, err error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	LastRows(ctx context.Context, tx pgx.Tx, key job.Key) (json.RawMessage, error)
}

// Files opens the files of imports.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
}

// TaskCompleter completes the task of a phase if what it waits for has happened.
type TaskCompleter interface {
	CompleteIfDue(ctx context.Context, jobID job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (completed bool, err error)
}

// Service shows files, and takes how they are to be read.
type Service struct {
	store    Store
	files    Files
	tasks    TaskCompleter
	recorder job.Recorder
	limits   sheet.Limits
	log      *slog.Logger
}

// New returns a service.
func New(store Store, files Files, tasks TaskCompleter, recorder job.Recorder, limits sheet.Limits, log *slog.Logger) *Service {
	return &Service{store: store, files: files, tasks: tasks, recorder: recorder, limits: limits, log: log}
}

// completeTimeout is how long completing the waiting task may delay the response.
const completeTimeout = 5 * time.Second

// loadJob reads a job in a transaction of its own.
func (s *Service) loadJob(ctx context.Context, ref job.Ref) (j *job.Job, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	return j, err
}
