// Package reading shows how the file of an import is read, and lets a person change the
// reading options: another sheet, another header row, footer rows to skip, an encoding. The
// same execution then analyses the file again, and the import asks for decisions again;
// earlier column decisions are kept as far as they still fit.
//
// Meanwhile the job is UPLOADED, as before its first analysis, so all rules of that status
// apply again. One transaction moves the job and saves its new options; then the waiting
// task is completed. If that fails, reconcile completes it: the job's status is
// authoritative.
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

// Store loads and saves jobs, and what is known of their files.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Reanalyze(ctx context.Context, tx pgx.Tx, key job.Key, options json.RawMessage) error
	// AddContributor records that a person determined what the job writes.
	AddContributor(ctx context.Context, tx pgx.Tx, key job.Key, by string) error
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (from job.Status, ok bool, err error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	LastRows(ctx context.Context, tx pgx.Tx, key job.Key) (json.RawMessage, error)
}

// Files opens the files of imports.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
}

// TaskCompleter completes the task of a phase once the awaited event has happened.
type TaskCompleter interface {
	CompleteIfDue(ctx context.Context, jobID job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (completed bool, err error)
}

// Service previews files and changes their reading options.
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

// loadJob loads a job in a separate transaction.
func (s *Service) loadJob(ctx context.Context, ref job.Ref) (j *job.Job, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	return j, err
}
