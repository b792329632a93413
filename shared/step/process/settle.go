package process

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// Results stores row errors.
type Results interface {
	AddResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult) error
	ForgetDeferred(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) error
}

// Counters moves jobs on.
type Counters interface {
	Advance(ctx context.Context, tx pgx.Tx, key job.Key, delta job.Counts, done int) (job.Progress, bool, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
}

// settle stores the outcomes and, as its last statement, advances the job.
func (s *Step) settle(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if err := s.keep(ctx, tx, a); err != nil {
		return err
	}
	if err := s.settleBrought(ctx, tx, a); err != nil {
		return err
	}
	a.delta = a.delta.Add(job.Count(a.outcomes).Sub(a.before))
	var running bool
	var err error
	done := 1
	if a.left {
		done = 0
	}
	if a.progress, running, err = s.store.Advance(ctx, tx, a.job.Key, a.delta, done); err != nil {
		return err
	}
	if !running {
		return errStopped
	}
	if err := s.stop(ctx, tx, a); err != nil || a.stopped {
		return err
	}
	if a.left {
		return errReopened // fewer rows are in error than there were
	}
	if !a.progress.RowsDone() || a.progress.Counts.Deferred == 0 {
		return nil
	}
	a.deferredFrom, _, err = s.store.Transition(ctx, tx, a.job.Key, job.Transition{To: job.CellMapping, ExpectedFrom: job.Processing})
	return err
}

// keep stores the row errors and the chunk's outcomes.
func (s *Step) keep(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if a.chunk.Outcomes != nil {
		if err := s.store.ForgetDeferred(ctx, tx, a.job.Key, a.chunk.FirstRow, a.chunk.FirstRow+int64(a.chunk.Lines)-1); err != nil {
			return err
		}
	}
	if err := s.forgetBrought(ctx, tx, a); err != nil {
		return err
	}
	if err := s.store.AddResults(ctx, tx, a.job, a.decided()); err != nil {
		return err
	}
	done := *a.chunk
	done.Done, done.Outcomes = !a.left, a.outcomes
	return s.store.SaveOutcomes(ctx, tx, &done)
}
