// Package deadletter assigns an outcome to the rows of a chunk that failed after all retries,
// so that a job never hangs on one of its chunks.
//
// Tested by shared/step: whole imports on a real database.
package deadletter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows/keygroup"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// Store reads and updates jobs, chunks and results.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Chunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error)
	ClaimChunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error)
	SaveOutcomes(ctx context.Context, tx pgx.Tx, c *job.Chunk) error
	AddResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult) error
	AddProgress(ctx context.Context, tx pgx.Tx, key job.Key, delta job.Counts, done int) (job.Progress, bool, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
	keygroup.Store
}

// Files reads the rows of a chunk.
type Files interface {
	ReadRange(ctx context.Context, v object.Version, offset, length int64) ([]byte, error)
}

// Finisher completes the task that waits for the last chunk.
type Finisher interface {
	CompleteIfRowsDone(ctx context.Context, j *job.Job, p job.Progress) error
}

// Step is the deadletter function.
type Step struct {
	store    Store
	files    Files
	finisher Finisher
	recorder job.Recorder
	metrics  *telemetry.Metrics
	limits   sheet.Limits
	log      *slog.Logger
}

// New returns the step.
func New(store Store, files Files, finisher Finisher, recorder job.Recorder, metrics *telemetry.Metrics, limits sheet.Limits, log *slog.Logger) *Step {
	return &Step{store: store, files: files, finisher: finisher, recorder: recorder, metrics: metrics, limits: limits, log: log}
}

var errStopped = errors.New("job is no longer PROCESSING")

// Run marks the undecided rows of the chunk as errors.
func (s *Step) Run(ctx context.Context, ref job.ChunkRef) error {
	var j *job.Job
	var chunk *job.Chunk
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		chunk, err = s.store.Chunk(ctx, tx, j.Key, ref.Chunk)
		return err
	})
	if problem.CodeOf(err) == problem.NotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("process dead letter of chunk %d of job %s: %w", ref.Chunk, ref.JobID, err)
	}
	ctx = telemetry.WithJob(ctx, j)
	undecided := s.loadOpenOutcomes(ctx, j, chunk)
	var given failedChunk
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		given, err = s.failChunk(ctx, tx, j, ref.Chunk, undecided)
		return err
	})
	if errors.Is(err, errStopped) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("process dead letter of chunk %d of job %s: %w", ref.Chunk, ref.JobID, err)
	}
	if given.deferredFrom != "" {
		s.recorder.Record(ctx, j, given.deferredFrom, job.CellMapping)
	}
	s.report(ctx, j, ref.Chunk, given.failedRows)
	return s.finisher.CompleteIfRowsDone(ctx, j, given.progress)
}

// failedChunk is the state of a job after one of its chunks has failed.
type failedChunk struct {
	progress   job.Progress
	failedRows int64 // rows marked as errors
	// deferredFrom is the status that the job left to ask about values, or "".
	deferredFrom job.Status
}

// report logs and counts the failed rows, if any.
func (s *Step) report(ctx context.Context, j *job.Job, chunk int, rows int64) {
	if rows == 0 {
		return
	}
	s.metrics.Count("import.rows.undelivered", rows, telemetry.Dimension{Name: "importType", Value: j.TypeDimension()})
	s.metrics.Rows(j.TypeDimension(), job.Counts{Errored: rows})
	s.log.ErrorContext(ctx, "chunk failed permanently", "chunk", chunk, "rows", rows)
}

// failChunk marks the undecided rows of the chunk as errors, in one transaction as process would.
func (s *Step) failChunk(ctx context.Context, tx pgx.Tx, j *job.Job, index int, undecided []byte) (g failedChunk, err error) {
	chunk, err := s.store.ClaimChunk(ctx, tx, j.Key, index)
	if err != nil {
		return g, err
	}
	if chunk.Done {
		return failedChunk{progress: j.Progress}, nil
	}
	before := job.CountOutcomes(chunk.Outcomes)
	if chunk.Done = true; chunk.Outcomes == nil {
		chunk.Outcomes = bytes.Clone(undecided)
	}
	results, delta, err := s.failOpenRows(ctx, tx, j, chunk)
	if err != nil {
		return g, err
	}
	if err := s.store.AddResults(ctx, tx, j, results); err != nil {
		return g, err
	}
	if err := s.store.SaveOutcomes(ctx, tx, chunk); err != nil {
		return g, err
	}
	delta = delta.Add(job.CountOutcomes(chunk.Outcomes).Sub(before))
	p, running, err := s.store.AddProgress(ctx, tx, j.Key, delta, 1)
	if err != nil {
		return g, err
	}
	if !running {
		return g, errStopped
	}
	g = failedChunk{progress: p, failedRows: int64(len(results))}
	g.deferredFrom, err = s.askForValues(ctx, tx, j, p)
	return g, err
}

// failOpenRows marks open rows as errors: those of the chunk, except rows that another chunk
// decides, and those of other chunks that this one was to decide. delta is the resulting change
// of the counts of other chunks.
func (s *Step) failOpenRows(ctx context.Context, tx pgx.Tx, j *job.Job, c *job.Chunk) (results []job.RowResult, delta job.Counts, err error) {
	rows, err := keygroup.Load(ctx, tx, s.store, j, c)
	if err == nil && !j.IsApplying() {
		err = rows.AdoptOutcomes(ctx, tx, s.store, c.Outcomes)
	}
	if err != nil {
		return nil, delta, err
	}
	giveUp := func(row int64, now rowwrite.Outcome) rowwrite.Outcome {
		if now != 0 && !now.Open() {
			return now
		}
		results = append(results, undeliveredResult(row))
		return rowwrite.Errored
	}
	for i, o := range c.Outcomes {
		if row := c.FirstRow + int64(i); !rows.OwnedElsewhere(row) {
			c.Outcomes[i] = byte(giveUp(row, rowwrite.Outcome(o)))
		}
	}
	delta, err = rows.DecideForeign(ctx, tx, s.store, j, giveUp)
	return results, delta, err
}

func undeliveredResult(row int64) job.RowResult {
	return job.RowResult{Row: row, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{
		Code: problem.RowUndelivered, Message: "This part of the file could not be processed. Import these rows again.",
	}}}
}

// askForValues moves the job to the question about values, if this was its last chunk and rows
// of other chunks wait for that. It returns the status that the job has left, or "".
func (s *Step) askForValues(ctx context.Context, tx pgx.Tx, j *job.Job, p job.Progress) (from job.Status, err error) {
	if !p.RowsDone() || p.Counts.Deferred == 0 {
		return "", nil
	}
	from, _, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.CellMapping, ExpectedFrom: job.Processing})
	return from, err
}

// loadOpenOutcomes returns the outcomes of the chunk's lines, with undecided ones as Pending or
// Deferred. Only the file shows which lines are blank; if it is no longer readable, the last
// lines are assumed to be the blank ones.
func (s *Step) loadOpenOutcomes(ctx context.Context, j *job.Job, c *job.Chunk) []byte {
	if c.Outcomes != nil {
		return c.Outcomes
	}
	outcomes := bytes.Repeat([]byte{byte(rowwrite.Blank)}, c.Lines)
	if err := s.markRows(ctx, j, c, outcomes); err != nil {
		s.log.WarnContext(ctx, "read rows of permanently failed chunk", "chunk", c.Index, "error", err)
		for i := range outcomes {
			outcomes[i] = byte(rowwrite.Blank)
			if i < c.Rows {
				outcomes[i] = byte(rowwrite.Pending)
			}
		}
	}
	return outcomes
}

func (s *Step) markRows(ctx context.Context, j *job.Job, c *job.Chunk, outcomes []byte) error {
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return err
	}
	body, err := s.files.ReadRange(ctx, j.ChunkFile(c), c.Offset, c.Length)
	if err != nil {
		return err
	}
	rows, err := reader.OpenChunk(body, &dialect, sheet.Chunk{
		Index: c.Index, Offset: c.Offset, Length: c.Length, FirstRow: c.FirstRow, Lines: c.Lines, Rows: c.Rows, CRC32C: c.CRC32C,
	}, s.limits)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		outcomes[rows.Row().Number-c.FirstRow] = byte(rowwrite.Pending)
	}
	if rows.Err() == nil && n != c.Rows {
		return fmt.Errorf("expected %d rows, read %d", c.Rows, n)
	}
	return rows.Err()
}
