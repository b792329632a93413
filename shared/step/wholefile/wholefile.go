// Package wholefile imports files that are read as one, because their rows depend
// on each other.
//
// A file is read twice: in a first pass the type sees all rows and decides in which
// order they are written; then parts of it are written, one transaction each. A
// part's transaction locks the job's row, so that it either comes before a
// cancellation or writes nothing, and advances the job's counters, which are the
// checkpoint: an invocation that runs out of time leaves the rest to the next one,
// which reads the file again and goes on after the last part.
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
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Store is the database: what each part of the step asks of it is declared there.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Jobs
	Ledger
	Retries
	Results
	capture.Store
	Counters
}

// Jobs keeps jobs and their mappings.
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

// Types finds import types.
type Types interface {
	ByName(name string) (entity.Type, bool)
}

// Config sizes the work.
type Config struct {
	// PartRows is how many rows one transaction writes.
	PartRows int `env:"PART_ROWS" default:"2000"`
	// Reserve is how much of an invocation's time must be left for another part.
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
		return nil, fmt.Errorf("whole file: configuration %+v makes no sense", config)
	}
	return &Step{store: store, files: files, types: types, metrics: metrics, config: config, limits: limits, log: log}, nil
}

// Run imports the file, or as much of it as there is time for.
func (s *Step) Run(ctx context.Context, ref job.Ref) (callback.Result, error) {
	began := time.Now()
	var j *job.Job
	var said decisions
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		if said.columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		if said.cells, err = s.store.CellMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		said.retry, err = s.loadRetry(ctx, tx, j)
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
		return callback.Result{Next: callback.NextApproval}, nil // an attempt that was given up: the execution is elsewhere
	case j.Progress.RowsDone():
		return callback.Result{Next: callback.NextAfterRows(j, j.Progress.Counts)}, nil // an earlier attempt got here
	}
	defer func() {
		s.metrics.Duration("import.processWholeFile", time.Since(began), telemetry.Dimension{Name: "importType", Value: j.ImportType})
	}()
	next, err := s.process(ctx, j, said)
	if err != nil {
		return callback.Result{}, fmt.Errorf("whole file: %w", err)
	}
	return callback.Result{Next: next}, nil
}

// decisions are what the columns and the values of a file are.
type decisions struct {
	columns []job.MappedColumn
	cells   []job.MappedCell
	retry   *retryRows // what a rerun brings; nil for any other job
}

// stoppedError is what a job says that has ended meanwhile.
func stoppedError(j *job.Job) error {
	return problem.New(problem.StateConflict, "The import %s; its file is not written any more.", j.Status.Clause())
}

// process reads the file and writes its parts.
func (s *Step) process(ctx context.Context, j *job.Job, said decisions) (string, error) {
	f, err := s.firstPass(ctx, j, said)
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
			s.log.InfoContext(ctx, "the rest is left to another invocation", "parts", progress.ChunkTotal, "parts_done", progress.ChunksDone)
			return callback.NextContinue, nil
		}
	}
	if err != nil {
		return "", err
	}
	return callback.NextAfterRows(j, progress.Counts), nil
}

// outOfTime reports whether there is no time for another part.
func (s *Step) outOfTime(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return limited && time.Until(deadline) < s.config.Reserve
}
