// Package process writes one chunk of rows to the database, exactly once.
//
// All that a chunk does happens in one transaction: the claim of its ledger
// entry, the entities, the outcome of every row, and last the job's counters.
// The last statement only succeeds while the job is PROCESSING, which is what
// makes cancel final; a chunk that is delivered twice finds its entry done.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/telemetry"
)

// Store keeps jobs, chunks and results.
type Store interface {
	InOrganisation(ctx context.Context, organisation int64, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, uuid string) (*job.Job, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, jobID int64) ([]job.MappedColumn, error)
	CellMappings(ctx context.Context, tx pgx.Tx, jobID int64) ([]job.MappedCell, error)
	EntitiesMade(ctx context.Context, tx pgx.Tx, j *job.Job, field string, values, keys []string, ids []int64) error
	AddCellMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedCell) error
	Chunk(ctx context.Context, tx pgx.Tx, jobID int64, index int) (*job.Chunk, error)
	ClaimChunk(ctx context.Context, tx pgx.Tx, jobID int64, index int) (*job.Chunk, error)
	ClaimChunkOfRow(ctx context.Context, tx pgx.Tx, jobID, row int64) (*job.Chunk, error)
	SaveOutcomes(ctx context.Context, tx pgx.Tx, c *job.Chunk) error
	AddResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult) error
	ForgetDeferred(ctx context.Context, tx pgx.Tx, jobID, first, last int64) error
	Advance(ctx context.Context, tx pgx.Tx, jobID int64, delta job.Counts, done int) (job.Progress, bool, error)
	Transit(ctx context.Context, tx pgx.Tx, jobID int64, t job.Transition) (job.Status, bool, error)
}

// Files reads the rows of a chunk.
type Files interface {
	Range(ctx context.Context, key string, offset, length int64) ([]byte, error)
}

// Types finds import types.
type Types interface {
	ByName(name string) (entity.Type, bool)
}

// Finisher tells the workflow that the last chunk is done.
type Finisher interface {
	RowsDone(ctx context.Context, j *job.Job, p job.Progress) error
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

// errStopped rolls back a chunk of a job that is not PROCESSING any more.
var errStopped = errors.New("the job is not PROCESSING any more")

// Run processes a chunk. nil means that its message is done with.
func (s *Step) Run(ctx context.Context, ref job.ChunkRef) error {
	began := time.Now()
	w, err := s.load(ctx, ref)
	if problem.CodeOf(err) == problem.NotFound {
		s.log.WarnContext(ctx, "chunk of a job that is gone", "job_id", ref.JobID, "chunk", ref.Chunk)
		return nil
	}
	if err != nil {
		return fmt.Errorf("chunk %d of job %s: %w", ref.Chunk, ref.JobID, err)
	}
	ctx = telemetry.WithJob(ctx, w.job)
	if w.chunk.Done || w.job.Status != job.Processing {
		return s.finisher.RowsDone(ctx, w.job, w.job.Progress)
	}
	reading := time.Now()
	if err := s.decode(ctx, w); err != nil {
		return fmt.Errorf("chunk %d of job %s: %w", ref.Chunk, ref.JobID, err)
	}
	w.took.decode = time.Since(reading)
	progress, err := s.commit(ctx, w)
	if errors.Is(err, errStopped) {
		s.log.InfoContext(ctx, "chunk dropped: the job has ended", "chunk", ref.Chunk)
		return nil
	}
	if err != nil {
		return fmt.Errorf("chunk %d of job %s: %w", ref.Chunk, ref.JobID, err)
	}
	s.report(ctx, w, time.Since(began))
	return s.finisher.RowsDone(ctx, w.job, progress)
}

// work is one chunk on its way.
type work struct {
	job     *job.Job
	chunk   *job.Chunk
	kind    entity.Type
	writer  entity.RowWriter
	dialect sheet.Dialect
	plan    *plan
	batch   *entity.Batch
	// texts holds, for each reference field, what stood in its cells: a row of
	// the batch each.
	texts map[int]*entity.Column
	// references say what those texts stand for, by field.
	references map[int]map[string]reference
	outcomes   []byte // of each line of the chunk
	results    []job.RowResult
	before     job.Counts // of the chunk, before this run
	delta      job.Counts
	took       timings
}

// timings are how long the parts of a chunk took: to read and decode its rows,
// to write them, and to begin and commit the transaction, with all attempts.
type timings struct{ decode, write, commit time.Duration }

// load reads what the chunk needs, without a lock.
func (s *Step) load(ctx context.Context, ref job.ChunkRef) (*work, error) {
	w := &work{}
	var columns []job.MappedColumn
	var cells []job.MappedCell
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if w.job, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		if w.chunk, err = s.store.Chunk(ctx, tx, w.job.ID, ref.Chunk); err != nil {
			return err
		}
		if columns, err = s.store.ColumnMappings(ctx, tx, w.job.ID); err != nil {
			return err
		}
		cells, err = s.store.CellMappings(ctx, tx, w.job.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(w.job.Dialect, &w.dialect); err != nil {
		return nil, fmt.Errorf("dialect: %w", err)
	}
	kind, ok := s.types.ByName(w.job.ImportType)
	if !ok {
		return nil, fmt.Errorf("there is no import type %q", w.job.ImportType)
	}
	w.kind = kind
	if w.writer, ok = kind.(entity.RowWriter); !ok {
		return nil, fmt.Errorf("import type %s has no rows", w.job.ImportType)
	}
	w.plan, err = newPlan(kind.Declaration(), columns, cells)
	return w, err
}

// report logs and counts what became of the chunk's rows.
func (s *Step) report(ctx context.Context, w *work, took time.Duration) {
	kind := telemetry.Dimension{Name: "importType", Value: w.job.ImportType}
	for _, c := range []struct {
		outcome job.Outcome
		n       int64
	}{
		{job.Created, w.delta.Created}, {job.Updated, w.delta.Updated}, {job.Skipped, w.delta.Skipped}, {job.Errored, w.delta.Errored},
	} {
		if c.n > 0 {
			s.metrics.Count("import.rows", c.n, kind, telemetry.Dimension{Name: "outcome", Value: c.outcome.String()})
		}
	}
	s.metrics.Duration("import.chunk.duration", took, kind)
	s.log.DebugContext(ctx, "chunk written", "chunk", w.chunk.Index, "rows", w.chunk.Rows, "created", w.delta.Created,
		"updated", w.delta.Updated, "skipped", w.delta.Skipped, "errors", w.delta.Errored, "deferred", w.delta.Deferred, "duration_ms", took.Milliseconds(),
		"decode_us", w.took.decode.Microseconds(), "write_us", w.took.write.Microseconds(), "commit_us", w.took.commit.Microseconds())
}
