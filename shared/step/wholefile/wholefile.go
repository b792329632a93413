// Package wholefile imports files as a whole, because their rows depend on each other.
//
// A file is read twice. In the first pass the type sees all rows and decides in which order they
// are written. Then the parts are written, one transaction each. A part's transaction locks the
// job's row, so that it either precedes a cancellation or writes nothing, and advances the job's
// counters, which are the checkpoint: an invocation that runs out of time leaves the rest to the
// next one, which reads the file again and continues after the last part.
//
// Tested by shared/step: whole imports on a real database.
package wholefile

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/capture"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Store is the database. Each part of the step declares the methods it needs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Jobs
	Ledger
	Retries
	Results
	capture.Store
	Counters
	reading.Slots
}

// Jobs reads and updates jobs and their mappings.
type Jobs interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	CellMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedCell, error)
}

// Files reads sources.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Config sets the size of parts and the time reserve.
type Config struct {
	// PartRows is the number of rows that one transaction writes.
	PartRows int `env:"PART_ROWS" default:"2000"`
	// Reserve is the remaining time of an invocation that is required to start another part.
	Reserve time.Duration `env:"WHOLE_FILE_RESERVE" default:"60s"`
}

// Step is the wholefile function.
type Step struct {
	store   Store
	files   Files
	types   Types
	metrics *telemetry.Metrics
	config  Config
	limits  sheet.Limits
	log     *slog.Logger
}

// New returns the step.
func New(store Store, files Files, types Types, metrics *telemetry.Metrics, config Config, limits sheet.Limits, log *slog.Logger) (*Step, error) {
	if config.PartRows < 1 || config.Reserve < 0 {
		return nil, fmt.Errorf("whole file: invalid configuration %+v", config)
	}
	return &Step{store: store, files: files, types: types, metrics: metrics, config: config, limits: limits, log: log}, nil
}

// Run imports the file, or as much of it as the remaining time allows.
func (s *Step) Run(ctx context.Context, ref job.Ref) (callback.Result, error) {
	began := time.Now()
	var j *job.Job
	var decided decisions
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		if decided.columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		if decided.cells, err = s.store.CellMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		if err := s.refreshNames(ctx, tx, j, decided.cells); err != nil {
			return err
		}
		decided.retry, err = s.loadRetry(ctx, tx, j)
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("whole file: %w", err)
	}
	ctx = telemetry.WithJob(ctx, j)
	switch {
	case j.Status != job.Processing:
		return callback.Result{}, stoppedError(j)
	case j.IsApplying():
		return callback.Result{Next: callback.NextApproval}, nil // an attempt that timed out: the execution has moved on
	case j.Progress.RowsDone():
		return callback.Result{Next: callback.NextAfterRows(j, j.Progress.Counts)}, nil // an earlier attempt got here
	}
	release, err := reading.TakeSlot(ctx, s.store, ref, j, decided.columns)
	if err != nil {
		return callback.Result{}, fmt.Errorf("whole file: %w", err)
	}
	defer release()
	defer func() {
		s.metrics.Duration("import.processWholeFile", time.Since(began), telemetry.Dimension{Name: "importType", Value: j.TypeDimension()})
	}()
	next, err := s.process(ctx, j, decided)
	if err != nil {
		return callback.Result{}, fmt.Errorf("whole file: %w", err)
	}
	return callback.Result{Next: next}, nil
}

// decisions are the column and value mappings of a file.
type decisions struct {
	columns []job.MappedColumn
	cells   []job.MappedCell
	retry   *retryRows // the rows of a retry; nil for any other job
}

// stoppedError returns the error of a job that has ended in the meantime.
func stoppedError(j *job.Job) error {
	return problem.New(problem.StateConflict, "The import %s, so its file is no longer written.", j.Status.Clause())
}

// process reads the file and writes its parts.
func (s *Step) process(ctx context.Context, j *job.Job, decided decisions) (string, error) {
	f, err := s.firstPass(ctx, j, decided)
	if err != nil {
		return "", err
	}
	progress, err := s.begin(ctx, f)
	for err == nil && !progress.RowsDone() {
		if j.MaxErrors.Exceeded(progress.Counts.Errored, progress.TotalRows) {
			return "", problem.New(problem.TooManyErrors, "%s", j.MaxErrors.Failure("", progress).Message)
		}
		if progress, err = s.writePart(ctx, f, progress.ChunksDone); err != nil || progress.RowsDone() {
			break
		}
		if s.outOfTime(ctx) {
			s.log.InfoContext(ctx, "rest continues in next invocation", "parts", progress.ChunkTotal, "parts_done", progress.ChunksDone)
			return callback.NextContinue, nil
		}
	}
	if err != nil {
		return "", err
	}
	return callback.NextAfterRows(j, progress.Counts), nil
}

// outOfTime reports whether the remaining time is too short for another part.
func (s *Step) outOfTime(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return limited && time.Until(deadline) < s.config.Reserve
}
