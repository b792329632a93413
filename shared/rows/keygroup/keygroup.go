// Package keygroup has rows of a plan that share keys decided by one chunk: that of the
// first of them. What a chunk rehearses is taken back, so that no other chunk sees it; rows
// of which one would create what another changes have to be written one after the other.
//
// Tested by shared/step: plans whose keys repeat, on a real database.
package keygroup

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// Store keeps the ledger, and which rows share keys.
type Store interface {
	DuplicateRows(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) ([]job.DuplicateRow, error)
	SavePlannedOutcomes(ctx context.Context, tx pgx.Tx, key job.Key, decided map[int64]job.Outcome) error
	ClaimChunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error)
	SaveOutcomes(ctx context.Context, tx pgx.Tx, c *job.Chunk) error
}

// Rows are those of a chunk that share keys with others. nil is a chunk without any.
type Rows struct {
	chunk  *job.Chunk
	firsts map[int64]int64 // of rows that share keys: the first of them
	// Brought are the rows of other chunks that this one decides, in file order.
	Foreign        []job.DuplicateRow
	ownedElsewhere []job.DuplicateRow // rows of this chunk that others decide
}

// Load returns the rows of a chunk; none for a job without a plan.
func Load(ctx context.Context, tx pgx.Tx, store Store, j *job.Job, c *job.Chunk) (*Rows, error) {
	if j.Plan == nil {
		return nil, nil
	}
	last := c.FirstRow + int64(c.Lines) - 1
	repeats, err := store.DuplicateRows(ctx, tx, j.Key, c.FirstRow, last)
	if err != nil || len(repeats) == 0 {
		return nil, err
	}
	r := &Rows{chunk: c, firsts: make(map[int64]int64, len(repeats))}
	for _, repeat := range repeats {
		r.firsts[repeat.Row] = repeat.First
		switch {
		case repeat.First < c.FirstRow:
			r.ownedElsewhere = append(r.ownedElsewhere, repeat)
		case repeat.Row > last:
			r.Foreign = append(r.Foreign, repeat)
		}
	}
	return r, nil
}

// First is the first row that shares keys with another, or the row itself.
func (r *Rows) First(row int64) int64 {
	if r != nil {
		if first, ok := r.firsts[row]; ok {
			return first
		}
	}
	return row
}

// OwnedElsewhere reports whether another chunk decides the row.
func (r *Rows) OwnedElsewhere(row int64) bool { return r != nil && r.First(row) < r.chunk.FirstRow }

// OwnsForeignRows reports whether the chunk decides any row of another one.
func (r *Rows) OwnsForeignRows() bool { return r != nil && len(r.Foreign) > 0 }

// AdoptOutcomes puts the outcomes of rows that other chunks have rehearsed into those of the
// chunk, which is claimed.
func (r *Rows) AdoptOutcomes(ctx context.Context, tx pgx.Tx, store Store, outcomes []byte) error {
	if r == nil || len(r.ownedElsewhere) == 0 {
		return nil
	}
	now, err := store.DuplicateRows(ctx, tx, r.chunk.JobKey, r.ownedElsewhere[0].Row, r.ownedElsewhere[len(r.ownedElsewhere)-1].Row)
	if err != nil {
		return err
	}
	for _, repeat := range now {
		if r.OwnedElsewhere(repeat.Row) && repeat.Outcome != 0 {
			outcomes[repeat.Row-r.chunk.FirstRow] = byte(repeat.Outcome)
		}
	}
	return nil
}

// DecideForeign gives rows of other chunks the outcomes that decide says, which hears those that
// they have: 0 where their chunk is not in the ledger yet, and will Take them. It returns by
// how much that changes the job's counts.
func (r *Rows) DecideForeign(ctx context.Context, tx pgx.Tx, store Store, j *job.Job, decide func(row int64, now job.Outcome) job.Outcome) (delta job.Counts, err error) {
	if !r.OwnsForeignRows() {
		return delta, nil
	}
	chunks := make(map[int][]job.DuplicateRow)
	for _, repeat := range r.Foreign {
		chunks[repeat.Chunk] = append(chunks[repeat.Chunk], repeat)
	}
	decided := make(map[int64]job.Outcome, len(r.Foreign))
	for _, index := range slices.Sorted(maps.Keys(chunks)) {
		c, err := store.ClaimChunk(ctx, tx, j.Key, index)
		if err != nil {
			return delta, fmt.Errorf("rows of chunk %d: %w", index, err)
		}
		before := job.CountOutcomes(c.Outcomes)
		for _, repeat := range chunks[index] {
			if c.Outcomes == nil {
				decided[repeat.Row] = decide(repeat.Row, 0)
				continue
			}
			at := &c.Outcomes[repeat.Row-c.FirstRow]
			*at = byte(decide(repeat.Row, job.Outcome(*at)))
			decided[repeat.Row] = job.Outcome(*at)
		}
		if c.Outcomes == nil {
			continue
		}
		delta = delta.Add(job.CountOutcomes(c.Outcomes).Sub(before))
		if err := store.SaveOutcomes(ctx, tx, c); err != nil {
			return delta, err
		}
	}
	if !j.IsPlanning() {
		return delta, nil
	}
	return delta, store.SavePlannedOutcomes(ctx, tx, j.Key, decided)
}
