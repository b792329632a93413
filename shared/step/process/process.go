// Package process writes one chunk of rows to the database, exactly once.
//
// All changes of a chunk happen in one transaction: the claim of its ledger entry, the entities,
// the outcome of every row, and last the job's counters. The last statement only succeeds while
// the job is PROCESSING, which makes cancellation final; a chunk that is delivered twice finds
// its entry done.
//
// The chunk is read and decoded once. The transaction may run several times; each attempt starts
// with nothing but the input.
package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Store is the database. Each part of the step declares the methods it needs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Inputs
	Ledger
	References
	Results
	Changes
	Counters
}

// Files reads the rows of a chunk.
type Files interface {
	ReadRange(ctx context.Context, v object.Version, offset, length int64) ([]byte, error)
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Finisher completes the task that waits for the last chunk.
type Finisher interface {
	CompleteIfRowsDone(ctx context.Context, j *job.Job, p job.Progress) error
}

// Step is the process function.
type Step struct {
	store    Store
	files    Files
	types    Types
	finisher Finisher
	recorder job.Recorder
	metrics  *telemetry.Metrics
	limits   sheet.Limits
	log      *slog.Logger
}

// New returns the step.
func New(store Store, files Files, types Types, finisher Finisher, recorder job.Recorder, metrics *telemetry.Metrics, limits sheet.Limits, log *slog.Logger) *Step {
	return &Step{store: store, files: files, types: types, finisher: finisher, recorder: recorder, metrics: metrics, limits: limits, log: log}
}

// errStopped rolls back a chunk of a job that is no longer PROCESSING.
var errStopped = errors.New("job is no longer PROCESSING")

// Run processes a chunk. nil means that its message can be deleted.
func (s *Step) Run(ctx context.Context, ref job.ChunkRef) error {
	began := time.Now()
	in, err := s.load(ctx, ref)
	if problem.CodeOf(err) == problem.NotFound {
		s.log.WarnContext(ctx, "chunk skipped: job deleted", "job_id", ref.JobID, "chunk", ref.Chunk)
		return nil
	}
	if err != nil {
		return fmt.Errorf("process chunk %d of job %s: %w", ref.Chunk, ref.JobID, err)
	}
	ctx = telemetry.WithJob(ctx, in.job)
	if in.chunk.Done || in.job.Status != job.Processing {
		return s.finisher.CompleteIfRowsDone(ctx, in.job, in.job.Progress)
	}
	reading := time.Now()
	in.decoded, err = s.decode(ctx, in)
	if errors.Is(err, errStopped) {
		return s.skipStopped(ctx, ref)
	}
	if problem.CodeOf(err) == problem.SourceChanged {
		return s.failJob(ctx, in.job, problem.From(err))
	}
	if err != nil {
		return fmt.Errorf("process chunk %d of job %s: %w", ref.Chunk, ref.JobID, err)
	}
	took := timings{decode: time.Since(reading)}
	a, err := s.commit(ctx, in, &took)
	switch {
	case errors.Is(err, errStopped):
		return s.skipStopped(ctx, ref)
	case problem.CodeOf(err) == problem.TableChanged:
		return s.failJob(ctx, in.job, problem.From(err))
	}
	if err != nil {
		return fmt.Errorf("process chunk %d of job %s: %w", ref.Chunk, ref.JobID, err)
	}
	s.lookAgain(ctx, a)
	took.all = time.Since(began)
	s.report(ctx, a, took)
	if a.stopped {
		s.log.WarnContext(ctx, "import ended early", "code", problem.TooManyErrors)
		return nil
	}
	return s.finisher.CompleteIfRowsDone(ctx, in.job, a.progress)
}

// skipStopped ends a chunk whose job has ended meanwhile.
func (s *Step) skipStopped(ctx context.Context, ref job.ChunkRef) error {
	s.log.InfoContext(ctx, "chunk skipped: job finished", "chunk", ref.Chunk)
	return nil
}

// failJob ends a job if its file no longer exists, or its table has changed, since a retry would not
// help. Its execution, which waits for the last chunk, is stopped by reconcile.
func (s *Step) failJob(ctx context.Context, j *job.Job, why *problem.Error) error {
	var failed bool
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		_, failed, err = s.store.Transition(ctx, tx, j.Key, job.Transition{
			To: job.Failed, ExpectedFrom: job.Processing, Failure: &job.Failure{Code: string(why.Code), Message: why.Message},
		})
		if err == nil && failed {
			j, err = s.store.Job(ctx, tx, j.ID) // with the rows of the other chunks
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("job %s fails: %w", j.ID, err)
	}
	if failed {
		s.recorder.Record(ctx, j, job.Processing, job.Failed)
		s.log.WarnContext(ctx, "import ended early", "code", why.Code)
	}
	return nil
}
