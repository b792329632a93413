package process

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows/keygroup"
)

// bring finds the rows of a plan that share keys with the chunk's, and, while it is
// rehearsed, where those are that the chunk decides.
func (s *Step) bring(ctx context.Context, tx pgx.Tx, in *input) (err error) {
	if in.together, err = keygroup.Load(ctx, tx, s.store, in.job, in.chunk); err != nil || !in.together.Brings() || in.job.Applies() {
		return err
	}
	for _, repeat := range in.together.Brought {
		if n := len(in.brought); n > 0 && in.brought[n-1].Index == repeat.Chunk {
			continue
		}
		c, err := s.store.Chunk(ctx, tx, in.job.Key, repeat.Chunk)
		if err != nil {
			return err
		}
		in.brought = append(in.brought, c)
	}
	return nil
}

// undecided are the rows of other chunks that the chunk is to decide now.
func (in *input) undecided() map[int64]job.Outcome {
	if !in.together.Brings() {
		return nil
	}
	rows := make(map[int64]job.Outcome)
	for _, repeat := range in.together.Brought {
		if repeat.Outcome == 0 || repeat.Outcome.Open() {
			rows[repeat.Row] = job.Pending
		}
	}
	return rows
}

// deferTogether defers rows that share keys with one that waits for somebody to decide
// about a value: what they change depends on it.
func (a *attempt) deferTogether() {
	if a.together == nil {
		return
	}
	waits := make(map[int64]bool) // by the first row of those that share keys
	for row, o := range a.brought {
		waits[a.together.First(row)] = waits[a.together.First(row)] || o == job.Deferred
	}
	for i, o := range a.outcomes {
		if job.Outcome(o) == job.Deferred {
			waits[a.together.First(a.chunk.FirstRow+int64(i))] = true
		}
	}
	keep := make([]int, 0, a.batch.Len())
	for i := range a.batch.Len() {
		if row := a.batch.Row(i); waits[a.together.First(row)] {
			a.set(row, job.Deferred)
		} else {
			keep = append(keep, i)
		}
	}
	a.leave(keep)
}

// settleBrought gives rows of other chunks the outcomes that they were rehearsed with. What
// has been said of those that waited for somebody is not true any more.
func (s *Step) settleBrought(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if !a.job.Rehearses() || a.left {
		return nil
	}
	delta, err := a.together.Settle(ctx, tx, s.store, a.job, func(row int64, now job.Outcome) job.Outcome {
		if o, decided := a.brought[row]; decided {
			return o
		}
		return now
	})
	a.delta = a.delta.Add(delta)
	return err
}

// decided are the results of rows that have an outcome now: of rows of other chunks, they
// have none where nothing of the chunk is written.
func (a *attempt) decided() []job.RowResult {
	if !a.left || len(a.brought) == 0 {
		return a.results
	}
	return slices.DeleteFunc(slices.Clone(a.results), func(r job.RowResult) bool {
		_, brought := a.brought[r.Row]
		return brought
	})
}

// forgetBrought drops what has been said of rows of other chunks that waited for somebody
// and are decided now.
func (s *Step) forgetBrought(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if !a.together.Brings() || !a.job.Rehearses() || a.left {
		return nil
	}
	for _, repeat := range a.together.Brought {
		if repeat.Outcome != job.Deferred {
			continue
		}
		if err := s.store.ForgetDeferred(ctx, tx, a.job.Key, repeat.Row, repeat.Row); err != nil {
			return err
		}
	}
	return nil
}
