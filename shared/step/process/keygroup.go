package process

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows/keygroup"
)

// loadForeignRows loads the rows that share keys with the chunk's and, unless a plan is applied, the
// chunks of the rows that this chunk decides.
func (s *Step) loadForeignRows(ctx context.Context, tx pgx.Tx, in *chunkInput) (err error) {
	if in.keyGroups, err = keygroup.Load(ctx, tx, s.store, in.job, in.chunk); err != nil || !in.keyGroups.OwnsForeignRows() || in.job.IsApplying() {
		return err
	}
	for _, repeat := range in.keyGroups.Foreign {
		if n := len(in.foreignChunks); n > 0 && in.foreignChunks[n-1].Index == repeat.Chunk {
			continue
		}
		c, err := s.store.Chunk(ctx, tx, in.job.Key, repeat.Chunk)
		if err != nil {
			return err
		}
		in.foreignChunks = append(in.foreignChunks, c)
	}
	return nil
}

// openForeignRows returns the undecided rows of other chunks that this chunk decides.
func (in *chunkInput) openForeignRows() map[int64]rowwrite.Outcome {
	if !in.keyGroups.OwnsForeignRows() {
		return nil
	}
	rows := make(map[int64]rowwrite.Outcome)
	for _, repeat := range in.keyGroups.Foreign {
		if repeat.Outcome == 0 || repeat.Outcome.Open() {
			rows[repeat.Row] = rowwrite.Pending
		}
	}
	return rows
}

// deferKeyGroups defers rows that share keys with a row that waits for a decision about a value,
// since their changes depend on it.
func (a *attempt) deferKeyGroups() {
	if a.keyGroups == nil {
		return
	}
	waits := make(map[int64]bool) // by the first row of the key group
	for row, o := range a.foreign {
		waits[a.keyGroups.First(row)] = waits[a.keyGroups.First(row)] || o == rowwrite.Deferred
	}
	for i, o := range a.outcomes {
		if rowwrite.Outcome(o) == rowwrite.Deferred {
			waits[a.keyGroups.First(a.chunk.FirstRow+int64(i))] = true
		}
	}
	keep := make([]int, 0, a.batch.Len())
	for i := range a.batch.Len() {
		if row := a.batch.Row(i); waits[a.keyGroups.First(row)] {
			a.setOutcome(row, rowwrite.Deferred)
		} else {
			keep = append(keep, i)
		}
	}
	a.retain(keep)
}

// saveForeignOutcomes saves the outcomes of rows of other chunks. The questions of rows
// that waited are no longer valid.
func (s *Step) saveForeignOutcomes(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if a.job.IsApplying() || a.overLimit {
		return nil
	}
	delta, err := a.keyGroups.DecideForeign(ctx, tx, s.store, a.job, func(row int64, now rowwrite.Outcome) rowwrite.Outcome {
		if o, decided := a.foreign[row]; decided {
			return o
		}
		return now
	})
	a.delta = a.delta.Add(delta)
	return err
}

// committedResults returns the results of decided rows. If nothing of the chunk is written, this
// excludes rows of other chunks.
func (a *attempt) committedResults() []job.RowResult {
	if !a.overLimit || len(a.foreign) == 0 {
		return a.results
	}
	return slices.DeleteFunc(slices.Clone(a.results), func(r job.RowResult) bool {
		_, foreign := a.foreign[r.Row]
		return foreign
	})
}

// deleteForeignDeferred deletes the deferred results of rows of other chunks that are now decided.
func (s *Step) deleteForeignDeferred(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if !a.keyGroups.OwnsForeignRows() || a.job.IsApplying() || a.overLimit {
		return nil
	}
	for _, repeat := range a.keyGroups.Foreign {
		if repeat.Outcome != rowwrite.Deferred {
			continue
		}
		if err := s.store.DeleteDeferredResults(ctx, tx, a.job.Key, repeat.Row, repeat.Row); err != nil {
			return err
		}
	}
	return nil
}
