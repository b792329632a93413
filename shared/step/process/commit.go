package process

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
)

// commit is the one transaction of the chunk.
func (s *Step) commit(ctx context.Context, w *work) (progress job.Progress, err error) {
	decoded := *w // a transaction that lost against another one runs again from here
	var deferredFrom job.Status
	var inside time.Duration
	began := time.Now()
	err = s.store.InOrganisation(ctx, w.job.OrganisationID, func(tx pgx.Tx) error {
		entered := time.Now()
		defer func() { inside += time.Since(entered) }()
		*w = decoded
		w.outcomes, w.delta = bytes.Clone(decoded.outcomes), job.Counts{}
		w.results = decoded.results[:len(decoded.results):len(decoded.results)]
		chunk, err := s.store.ClaimChunk(ctx, tx, w.job.ID, w.chunk.Index)
		if err != nil {
			return err
		}
		if chunk.Done {
			progress = w.job.Progress
			return nil
		}
		if err := w.refresh(chunk); err != nil {
			return err
		}
		if err := s.write(ctx, tx, w); err != nil {
			return err
		}
		progress, deferredFrom, err = s.settle(ctx, tx, w)
		return err
	})
	w.took.write, w.took.commit = inside, time.Since(began)-inside
	if err == nil && deferredFrom != "" {
		s.recorder.Record(ctx, w.job, deferredFrom, job.CellMapping)
	}
	return progress, err
}

// write resolves what the cells refer to and writes the entities.
func (s *Step) write(ctx context.Context, tx pgx.Tx, w *work) error {
	if err := s.resolve(ctx, tx, w); err != nil {
		return err
	}
	if w.batch.Len() == 0 {
		return nil
	}
	if w.job.DryRun {
		return s.rehearse(ctx, tx, w)
	}
	return s.writeRows(ctx, tx, w)
}

// errRehearsed rolls the writes of a dry run back.
var errRehearsed = errors.New("dry run")

// rehearse writes the rows to see what becomes of them, and takes them back.
func (s *Step) rehearse(ctx context.Context, tx pgx.Tx, w *work) error {
	err := entity.Savepoint(ctx, tx, func(tx pgx.Tx) error {
		if err := s.writeRows(ctx, tx, w); err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}

// settle keeps the outcomes and, last, advances the job.
func (s *Step) settle(ctx context.Context, tx pgx.Tx, w *work) (job.Progress, job.Status, error) {
	if w.chunk.Outcomes != nil {
		if err := s.store.ForgetDeferred(ctx, tx, w.job.ID, w.chunk.FirstRow, w.chunk.FirstRow+int64(w.chunk.Lines)-1); err != nil {
			return job.Progress{}, "", err
		}
	}
	if err := s.store.AddResults(ctx, tx, w.job, w.results); err != nil {
		return job.Progress{}, "", err
	}
	done := *w.chunk
	done.Done, done.Outcomes = true, w.outcomes
	if err := s.store.SaveOutcomes(ctx, tx, &done); err != nil {
		return job.Progress{}, "", err
	}
	own := job.Count(w.outcomes).Sub(w.before)
	w.delta = w.delta.Add(own)
	progress, running, err := s.store.Advance(ctx, tx, w.job.ID, w.delta, 1)
	if err != nil {
		return job.Progress{}, "", err
	}
	if !running {
		return job.Progress{}, "", errStopped
	}
	if !progress.RowsDone() || progress.Counts.Deferred == 0 {
		return progress, "", nil
	}
	from, _, err := s.store.Transit(ctx, tx, w.job.ID, job.Transition{To: job.CellMapping, ExpectedFrom: job.Processing})
	return progress, from, err
}

// take keeps the results of rows that a type has written.
func (w *work) take(b *entity.Batch) {
	for i := range b.Results {
		r := &b.Results[i]
		outcome := rows.OutcomeOf(r.Outcome)
		w.outcomes[b.Row(i)-w.chunk.FirstRow] = byte(outcome)
		if len(r.Faults) > 0 {
			w.say(b.Row(i), outcome, r.Faults)
		}
	}
}

func (w *work) say(row int64, o job.Outcome, faults []entity.Fault) {
	r := job.RowResult{Row: row, Outcome: o, Faults: make([]job.Fault, len(faults))}
	for i, f := range faults {
		r.Faults[i] = rows.FaultOf(f)
	}
	w.results = append(w.results, r)
}

// displace gives rows that lost their entity to an earlier row of the file
// their new outcome, in whichever chunk they are.
func (s *Step) displace(ctx context.Context, tx pgx.Tx, w *work, displaced []entity.Displaced) error {
	for _, d := range displaced {
		outcome := job.Errored
		if d.Skipped {
			outcome = job.Skipped
		}
		w.say(d.Row, outcome, []entity.Fault{d.Fault})
		if at := d.Row - w.chunk.FirstRow; at >= 0 && at < int64(w.chunk.Lines) {
			w.inherit(d, w.outcomes[at])
			w.outcomes[at] = byte(outcome)
			continue
		}
		other, err := s.store.ClaimChunkOfRow(ctx, tx, w.job.ID, d.Row)
		if problem.CodeOf(err) == problem.NotFound {
			continue // the row was written by something that keeps no ledger
		}
		if err != nil {
			return err
		}
		before := job.Count(other.Outcomes)
		w.inherit(d, other.Outcomes[d.Row-other.FirstRow])
		other.Outcomes[d.Row-other.FirstRow] = byte(outcome)
		if err := s.store.SaveOutcomes(ctx, tx, other); err != nil {
			return err
		}
		w.delta = w.delta.Add(job.Count(other.Outcomes).Sub(before))
	}
	return nil
}

// inherit gives the row that displaces another one the outcome that one had.
func (w *work) inherit(d entity.Displaced, outcome byte) {
	if d.By != 0 {
		w.outcomes[d.By-w.chunk.FirstRow] = outcome
	}
}

// errReopened fails a chunk that was read before others processed and reopened
// it: the message is delivered again and finds what is left to do.
var errReopened = errors.New("the chunk was processed and opened again meanwhile")

// refresh brings the outcomes of the chunk's earlier run up to date: since they
// were read, rows of it may have been displaced by another chunk.
func (w *work) refresh(claimed *job.Chunk) error {
	if len(claimed.Outcomes) != len(w.chunk.Outcomes) {
		return errReopened
	}
	for i, o := range claimed.Outcomes {
		if o != w.chunk.Outcomes[i] {
			w.outcomes[i] = o
		}
	}
	w.before = job.Count(claimed.Outcomes)
	return nil
}
