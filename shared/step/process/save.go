package process

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// Results stores row errors and warnings of the import.
type Results interface {
	AddWarnings(ctx context.Context, tx pgx.Tx, key job.Key, warnings []string) error
	AddResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult) error
	ExtendResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult) error
	DeleteDeferredResults(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) error
}

// Counters advances jobs.
type Counters interface {
	AddProgress(ctx context.Context, tx pgx.Tx, key job.Key, delta job.Counts, done int) (job.Progress, bool, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
}

// saveAndAdvance stores the outcomes and, as its last statement, advances the job.
func (s *Step) saveAndAdvance(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if err := s.saveResults(ctx, tx, a); err != nil {
		return err
	}
	if err := s.saveForeignOutcomes(ctx, tx, a); err != nil {
		return err
	}
	if err := s.store.AddWarnings(ctx, tx, a.job.Key, slices.Concat(a.decoded.warnings, a.warnings)); err != nil {
		return err
	}
	a.delta = a.delta.Add(job.CountOutcomes(a.outcomes).Sub(a.before))
	var running bool
	var err error
	done := 1
	if a.overLimit {
		done = 0
	}
	if a.progress, running, err = s.store.AddProgress(ctx, tx, a.job.Key, a.delta, done); err != nil {
		return err
	}
	if !running {
		return errStopped
	}
	if err := s.stopAtErrorLimit(ctx, tx, a); err != nil || a.stopped {
		return err
	}
	if a.overLimit {
		return errReopened // there are fewer row errors than before
	}
	if !a.progress.RowsDone() || a.progress.Counts.Deferred == 0 {
		return nil
	}
	a.deferredFrom, _, err = s.store.Transition(ctx, tx, a.job.Key, job.Transition{To: job.CellMapping, ExpectedFrom: job.Processing})
	return err
}

// saveResults stores the row errors and the chunk's outcomes.
func (s *Step) saveResults(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if a.chunk.Outcomes != nil {
		if err := s.store.DeleteDeferredResults(ctx, tx, a.job.Key, a.chunk.FirstRow, a.chunk.FirstRow+int64(a.chunk.Lines)-1); err != nil {
			return err
		}
	}
	if err := s.deleteForeignDeferred(ctx, tx, a); err != nil {
		return err
	}
	if err := s.store.AddResults(ctx, tx, a.job, a.committedResults()); err != nil {
		return err
	}
	done := *a.chunk
	done.Done, done.Outcomes = !a.overLimit, a.outcomes
	return s.store.SaveOutcomes(ctx, tx, &done)
}
