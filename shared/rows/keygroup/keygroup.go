// Package keygroup assigns rows that share keys to one chunk: that of the first of these rows.
// Planning rolls back a chunk's writes, so no other chunk sees them, but rows of which one creates the
// entity that another changes must be written in sequence. Imports of declared types assign rows in
// the same way, because their tables do not tell which row of a file came first.
//
// Tested by shared/step: plans with duplicate keys, on a real database.
package keygroup

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Store accesses the ledger and the rows with duplicate keys.
type Store interface {
	DuplicateRows(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) ([]job.DuplicateRow, error)
	SavePlannedOutcomes(ctx context.Context, tx pgx.Tx, key job.Key, decided map[int64]rowwrite.Outcome) error
	ClaimChunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error)
	SaveOutcomes(ctx context.Context, tx pgx.Tx, c *job.Chunk) error
}

// Rows contains a chunk's rows that share keys with other rows. nil means that there are none.
type Rows struct {
	chunk  *job.Chunk
	firsts map[int64]int64 // first row with the same keys, by row
	// Foreign are the rows of other chunks that this chunk owns, in file order.
	Foreign        []job.DuplicateRow
	ownedElsewhere []job.DuplicateRow // rows of this chunk that other chunks own
}

// Load returns the rows of a chunk, or nil for a job whose rows are not grouped.
func Load(ctx context.Context, tx pgx.Tx, store Store, j *job.Job, c *job.Chunk) (*Rows, error) {
	if !j.GroupsRows() {
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

// First returns the first row with the same keys, or the row itself.
func (r *Rows) First(row int64) int64 {
	if r != nil {
		if first, ok := r.firsts[row]; ok {
			return first
		}
	}
	return row
}

// OwnedElsewhere reports whether another chunk owns the row.
func (r *Rows) OwnedElsewhere(row int64) bool { return r != nil && r.First(row) < r.chunk.FirstRow }

// OwnsForeignRows reports whether the chunk owns rows of other chunks.
func (r *Rows) OwnsForeignRows() bool { return r != nil && len(r.Foreign) > 0 }

// AdoptOutcomes copies the outcomes of the chunk's rows that other chunks have decided into
// outcomes. The chunk must be claimed.
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

// DecideForeign sets the outcomes of rows of other chunks. decide receives a row's current outcome,
// which is 0 if its chunk is not in the ledger yet and will call AdoptOutcomes, and returns the
// new one. DecideForeign returns the change of the job's counts.
func (r *Rows) DecideForeign(ctx context.Context, tx pgx.Tx, store Store, j *job.Job, decide func(row int64, now rowwrite.Outcome) rowwrite.Outcome) (delta job.Counts, err error) {
	if !r.OwnsForeignRows() {
		return delta, nil
	}
	chunks := make(map[int][]job.DuplicateRow)
	for _, repeat := range r.Foreign {
		chunks[repeat.Chunk] = append(chunks[repeat.Chunk], repeat)
	}
	decided := make(map[int64]rowwrite.Outcome, len(r.Foreign))
	for _, index := range slices.Sorted(maps.Keys(chunks)) {
		c, err := store.ClaimChunk(ctx, tx, j.Key, index)
		if err != nil {
			return delta, fmt.Errorf("load rows of chunk %d: %w", index, err)
		}
		before := job.CountOutcomes(c.Outcomes)
		for _, repeat := range chunks[index] {
			if c.Outcomes == nil {
				decided[repeat.Row] = decide(repeat.Row, 0)
				continue
			}
			at := &c.Outcomes[repeat.Row-c.FirstRow]
			*at = byte(decide(repeat.Row, rowwrite.Outcome(*at)))
			decided[repeat.Row] = rowwrite.Outcome(*at)
		}
		if c.Outcomes == nil {
			continue
		}
		delta = delta.Add(job.CountOutcomes(c.Outcomes).Sub(before))
		if err := store.SaveOutcomes(ctx, tx, c); err != nil {
			return delta, err
		}
	}
	if j.IsApplying() {
		return delta, nil
	}
	return delta, store.SavePlannedOutcomes(ctx, tx, j.Key, decided)
}
