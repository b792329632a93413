// Package planned writes the change set of a plan: what was shown to somebody, and not what
// the file would come to now. It knows no import type: tables and columns are those that
// the changes name, as the database has them at this moment.
//
// A row whose entities are not what they were, or whose keys somebody has taken, is stale:
// none of its changes is written. What another row of the same file has written counts as
// planned: the later row stands.
//
// Tested by shared/step: plans that are applied, on a real database.
package planned

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/tenant"
)

// Target is what is written, and how.
type Target struct {
	Organisation tenant.ID
	Job          job.Key // the source of what is written
	// Overwrite writes planned values over others. An entity that is gone, and a key that is
	// taken, are stale all the same.
	Overwrite bool
}

// Write writes the changes and returns the rows that are stale.
func Write(ctx context.Context, tx pgx.Tx, t Target, parts []changeset.Part) (stale map[int64]bool, err error) {
	w := &writing{Target: t, stale: make(map[int64]bool), over: make(map[*change]bool)}
	if err := w.prepare(ctx, tx, parts); err != nil {
		return nil, err
	}
	if err := w.compare(ctx, tx, "FOR NO KEY UPDATE OF e"); err != nil {
		return nil, err
	}
	return w.stale, w.bisect(ctx, tx, w.rows())
}

// Check returns the rows that are stale at this moment. It writes and locks nothing.
func Check(ctx context.Context, tx pgx.Tx, t Target, parts []changeset.Part) (stale map[int64]bool, err error) {
	w := &writing{Target: t, stale: make(map[int64]bool), over: make(map[*change]bool)}
	if err := w.prepare(ctx, tx, parts); err != nil {
		return nil, err
	}
	if err := w.compare(ctx, tx, ""); err != nil {
		return nil, err
	}
	return w.stale, w.findTaken(ctx, tx)
}

// change is one that is to be written.
type change struct {
	changeset.Change
	table *table
	// given are the columns whose value the database gave: it gives them anew.
	given []bool
}

// writing is one run over the changes of a chunk.
type writing struct {
	Target
	tables  map[string]*table
	changes []*change
	stale   map[int64]bool   // by row
	over    map[*change]bool // later rows of the file have written these entities
}

// prepare finds the tables of the changes. A change of a column that is there no more
// cannot be written.
func (w *writing) prepare(ctx context.Context, tx pgx.Tx, parts []changeset.Part) (err error) {
	if w.tables, err = tablesOf(ctx, tx, parts); err != nil {
		return err
	}
	for _, part := range parts {
		for i := range part.Changes {
			c := &change{Change: part.Changes[i], table: w.tables[part.Changes[i].Table]}
			if c.table == nil || !c.table.has(c.Columns) {
				w.stale[c.Row] = true
				continue
			}
			c.mark(part.At)
			w.changes = append(w.changes, c)
		}
	}
	return nil
}

// mark finds the values that the database gave, and has it give them anew.
func (c *change) mark(at string) {
	c.given = make([]bool, len(c.Columns))
	for i, v := range c.After {
		if v != nil && *v == at && c.table.types[c.Columns[i]] == timestamp {
			c.given[i], c.After[i] = true, new("now")
		}
	}
}

// rows are those that are to be written, in their order. 0 stands for what no single row
// has made: it comes first.
func (w *writing) rows() []int64 {
	var rows []int64
	for _, c := range w.changes {
		if !w.stale[c.Row] {
			rows = append(rows, c.Row)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// bisect writes rows, all or, where the database refuses them, those that can be. A row
// that is refused alone is stale: when it was planned, it was not.
func (w *writing) bisect(ctx context.Context, tx pgx.Tx, rows []int64) error {
	rows = slices.DeleteFunc(rows, func(row int64) bool { return w.stale[row] })
	if len(rows) == 0 {
		return nil
	}
	var taken []*change
	err := entity.Savepoint(ctx, tx, func(tx pgx.Tx) (err error) {
		if taken, err = w.writeRows(ctx, tx, rows); err == nil && len(taken) > 0 {
			err = errTaken
		}
		return err
	})
	switch {
	case err == nil:
		return nil
	case len(taken) > 0:
		for _, c := range taken {
			w.stale[c.Row] = true
		}
		return w.bisect(ctx, tx, rows)
	case !entity.IsDataError(err) || ctx.Err() != nil:
		return err
	case len(rows) == 1:
		w.stale[rows[0]] = true
		return nil
	}
	half := len(rows) / 2
	first, second := slices.Clone(rows[:half]), slices.Clone(rows[half:])
	if err := w.bisect(ctx, tx, first); err != nil {
		return err
	}
	return w.bisect(ctx, tx, second)
}
