package wholefile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/capture"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/rows/fileresult"
)

// ledgerLines is the number of lines in one ledger entry. An entry is rewritten for every part
// that contains rows of it.
const ledgerLines = 10_000

// Ledger stores the outcomes of all lines.
type Ledger interface {
	AddChunks(ctx context.Context, tx pgx.Tx, j *job.Job, chunks []job.Chunk) error
	CompleteSplit(ctx context.Context, tx pgx.Tx, key job.Key, t job.SplitTotals) (job.Progress, bool, error)
	ClaimChunkOfRow(ctx context.Context, tx pgx.Tx, key job.Key, row int64) (*job.Chunk, error)
	SaveOutcomes(ctx context.Context, tx pgx.Tx, c *job.Chunk) error
}

// Results stores row errors, and the result and the warnings of the import.
type Results interface {
	AddWarnings(ctx context.Context, tx pgx.Tx, key job.Key, warnings []string) error
	AddResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult) error
	fileresult.Store
}

// Counters advances jobs.
type Counters interface {
	AddProgress(ctx context.Context, tx pgx.Tx, key job.Key, delta job.Counts, done int) (job.Progress, bool, error)
	MarkCallbackSent(ctx context.Context, tx pgx.Tx, key job.Key) error
}

// begin writes the results of the first pass: the ledger with the known outcomes, the totals, and
// the rejected rows.
func (s *Step) begin(ctx context.Context, f *fileContents) (p job.Progress, err error) {
	var delta job.Counts
	err = s.inLockedTx(ctx, f, func(tx pgx.Tx, j *job.Job) error {
		delta = job.Counts{} // the transaction may run more than once
		if p = j.Progress; p.SplitComplete {
			return nil
		}
		if err := s.addLedger(ctx, tx, f); err != nil {
			return err
		}
		if err := s.store.AddResults(ctx, tx, j, f.rejected); err != nil {
			return err
		}
		if err := s.store.AddWarnings(ctx, tx, j.Key, f.warnings); err != nil {
			return err
		}
		if _, _, err := s.store.CompleteSplit(ctx, tx, j.Key, f.totals); err != nil {
			return err
		}
		delta = f.countRejected()
		p, err = s.advance(ctx, tx, f, delta, 0, j.ResultJSON)
		return err
	})
	if err == nil {
		s.metrics.Rows(f.job.TypeDimension(), delta)
	}
	return p, err
}

// countRejected counts the rows that the first pass rejected.
func (f *fileContents) countRejected() (c job.Counts) {
	for _, r := range f.rejected {
		if r.Outcome == rowwrite.Skipped {
			c.Skipped++
		} else {
			c.Errored++
		}
	}
	return c
}

// inLockedTx runs one transaction of the import, in which the job is locked and
// PROCESSING.
func (s *Step) inLockedTx(ctx context.Context, f *fileContents, do func(tx pgx.Tx, j *job.Job) error) error {
	return s.store.InOrganisation(ctx, f.job.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.store.LockJob(ctx, tx, f.job.ID)
		if err != nil {
			return err
		}
		if j.Status != job.Processing || f.job.IsPlanning() && !j.IsPlanning() {
			return stoppedError(j)
		}
		return do(tx, j)
	})
}

func (s *Step) addLedger(ctx context.Context, tx pgx.Tx, f *fileContents) error {
	if f.retry != nil {
		return s.updateLedger(ctx, tx, f)
	}
	lines := f.entryLines()
	for first := 0; first < len(f.outcomes); first += lines {
		outcomes := f.outcomes[first:min(first+lines, len(f.outcomes))]
		c := job.Chunk{
			JobKey: f.job.Key, Index: first / lines, Key: f.job.ObjectKey, FirstRow: int64(first) + 1,
			Lines: len(outcomes), Done: true, Outcomes: outcomes,
		}
		for _, o := range outcomes {
			if o != byte(rowwrite.Blank) && o != byte(rowwrite.Header) {
				c.Rows++
			}
		}
		if err := s.store.AddChunks(ctx, tx, f.job, []job.Chunk{c}); err != nil {
			return err
		}
		if err := s.store.SaveOutcomes(ctx, tx, &c); err != nil {
			return err
		}
	}
	return nil
}

// writePart writes one part, unless another invocation has.
func (s *Step) writePart(ctx context.Context, f *fileContents, part int) (p job.Progress, err error) {
	began := time.Now()
	b := f.batch.Pick(f.partOrder(part))
	var delta job.Counts
	err = s.inLockedTx(ctx, f, func(tx pgx.Tx, j *job.Job) (err error) {
		delta = job.Counts{}
		if p = j.Progress; p.ChunksDone != part {
			return nil
		}
		w := &partWrite{words: f.words, state: j.ResultJSON, outcomes: make(map[int64]rowwrite.Outcome, b.Len())}
		if err := s.writeCaptured(ctx, tx, f, part, w, b); err != nil {
			return err
		}
		if delta, err = s.saveOutcomes(ctx, tx, f, b, w); err != nil {
			return err
		}
		p, err = s.advance(ctx, tx, f, delta, 1, w.state)
		return err
	})
	if err != nil {
		return p, fmt.Errorf("write part %d of job %s: %w", part, f.job.ID, err)
	}
	s.metrics.Rows(f.job.TypeDimension(), delta)
	s.log.DebugContext(ctx, "part written", "part", part, "rows", b.Len(), "duration_ms", time.Since(began).Milliseconds())
	return p, nil
}

// partWrite is the state of writing one part.
type partWrite struct {
	words    *rows.ErrorFormatter
	state    json.RawMessage
	outcomes map[int64]rowwrite.Outcome
	results  []job.RowResult
	reported capture.Reported
}

// writeRows writes all rows of a part except those that the database refuses.
func (s *Step) writeRows(ctx context.Context, tx pgx.Tx, f *fileContents, w *partWrite, b *entity.Batch) error {
	var left json.RawMessage
	write := func(ctx context.Context, tx pgx.Tx, part *entity.Batch) (err error) {
		left, err = f.pass.WritePart(ctx, tx, part, w.state)
		return err
	}
	written := func(part *entity.Batch) error {
		if left != nil {
			w.state, left = left, nil
		}
		w.collectResults(part)
		w.reported.Add(part)
		return nil
	}
	refused := func(row int64, sqlState string) {
		left = nil
		s.log.WarnContext(ctx, "row rejected by database", "row", row, "sqlstate", sqlState)
	}
	return entity.Bisect(ctx, tx, b, write, written, refused)
}

// collectResults collects the results of rows that the type has written.
func (w *partWrite) collectResults(b *entity.Batch) {
	for i, r := range b.Results {
		outcome := r.Outcome
		w.outcomes[b.Row(i)] = outcome
		if len(r.Errors) == 0 {
			continue
		}
		result := job.RowResult{Row: b.Row(i), Outcome: outcome, Errors: make([]rowwrite.Error, len(r.Errors))}
		for line, fault := range r.Errors {
			result.Errors[line] = w.words.Format(b.Row(i), fault)
		}
		w.results = append(w.results, result)
	}
}

// saveOutcomes writes the outcomes of a part's rows into the ledger.
func (s *Step) saveOutcomes(ctx context.Context, tx pgx.Tx, f *fileContents, b *entity.Batch, w *partWrite) (counts job.Counts, err error) {
	var entries []*job.Chunk
	var all []byte
	for i := range b.Len() {
		row := b.Row(i)
		at := slices.IndexFunc(entries, func(c *job.Chunk) bool { return row >= c.FirstRow && row < c.FirstRow+int64(c.Lines) })
		if at < 0 {
			entry, err := s.store.ClaimChunkOfRow(ctx, tx, f.job.Key, row)
			if err != nil {
				return counts, err
			}
			at, entries = len(entries), append(entries, entry)
		}
		entries[at].Outcomes[row-entries[at].FirstRow] = byte(w.outcomes[row])
		all = append(all, byte(w.outcomes[row]))
	}
	for _, entry := range entries {
		if err := s.store.SaveOutcomes(ctx, tx, entry); err != nil {
			return counts, err
		}
	}
	return job.CountOutcomes(all), s.store.AddResults(ctx, tx, f.job, w.results)
}

// advance adds to the job's counters and saves the intermediate result of the part; after the
// last part it saves the import's result.
func (s *Step) advance(ctx context.Context, tx pgx.Tx, f *fileContents, delta job.Counts, parts int, left json.RawMessage) (job.Progress, error) {
	p, running, err := s.store.AddProgress(ctx, tx, f.job.Key, delta, parts)
	if err != nil {
		return p, err
	}
	if !running {
		return p, stoppedError(f.job)
	}
	if !p.RowsDone() {
		if left == nil {
			return p, nil
		}
		return p, s.store.SaveResult(ctx, tx, f.job.Key, left)
	}
	if err := s.saveResult(ctx, tx, f, p, left); err != nil {
		return p, err
	}
	// No task waits for the last part of a whole file, since the execution itself runs this.
	return p, s.store.MarkCallbackSent(ctx, tx, f.job.Key)
}

// saveResult saves the type's result of the whole import. The result of a plan is known when it
// has been applied; until then, the intermediate result of the rows is stored.
func (s *Step) saveResult(ctx context.Context, tx pgx.Tx, f *fileContents, p job.Progress, left json.RawMessage) error {
	if warner, ok := f.writer.(entity.FileWarner); ok {
		warnings, err := warner.Warnings(left)
		if err != nil {
			return err
		}
		if err := s.store.AddWarnings(ctx, tx, f.job.Key, warnings); err != nil {
			return err
		}
	}
	if !f.job.IsPlanning() {
		return fileresult.Save(ctx, tx, s.store, f.writer, f.job.Key, p, left)
	}
	if left == nil {
		return nil
	}
	return s.store.SaveResult(ctx, tx, f.job.Key, left)
}
