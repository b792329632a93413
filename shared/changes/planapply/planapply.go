// Package planapply writes the change set of a plan: what was shown to somebody, and not what
// the file would come to now. It knows no import type: tables and columns are those that
// the changes name, as the database has them at this moment.
//
// A row whose entities are not what they were, or whose keys somebody has taken, is stale:
// none of its changes is written. What another row of the same file has written counts as
// planned: the later row stands.
//
// Tested by shared/step: plans that are applied, on a real database.
package planapply

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
)

// Entities describes tables, and writes entities that are locked or new.
type Entities interface {
	EntityTable(ctx context.Context, tx pgx.Tx, name string) (*postgres.EntityTable, error)
	InsertEntities(ctx context.Context, tx pgx.Tx, t *postgres.EntityTable, by job.Key, columns []string, entities []postgres.EntityRow) (map[string]bool, error)
	UpdateEntities(ctx context.Context, tx pgx.Tx, t *postgres.EntityTable, by job.Key, columns []string, entities []postgres.EntityRow) error
	DeleteEntities(ctx context.Context, tx pgx.Tx, t *postgres.EntityTable, ids []string) error
}

// Target is what is written, and how.
type Target struct {
	Organisation tenant.ID
	Job          job.Key // the source of what is written
	// First is the first of the rows of which all are written or none, as they are about
	// the same entities: of each row that makes a change. nil: each row is by itself.
	FirstOfGroup func(row int64) int64
	// Overwrite writes planned values over others. An entity that is gone, and a key that is
	// taken, are stale all the same.
	Overwrite bool
}

// Write writes the changes and returns the rows that are stale; of rows that are written
// all or none, the first.
func Write(ctx context.Context, tx pgx.Tx, store Entities, t Target, parts []changeset.Part) (stale map[int64]bool, err error) {
	w, err := loadAndCompare(ctx, tx, store, t, parts, "FOR NO KEY UPDATE")
	if err != nil {
		return nil, err
	}
	return w.stale, w.bisect(ctx, tx, w.units())
}

// FindStale returns the rows that Write would find stale at this moment. It writes and locks nothing.
func FindStale(ctx context.Context, tx pgx.Tx, store Entities, t Target, parts []changeset.Part) (stale map[int64]bool, err error) {
	w, err := loadAndCompare(ctx, tx, store, t, parts, "")
	if err != nil {
		return nil, err
	}
	return w.stale, w.findConflicts(ctx, tx)
}

// loadAndCompare holds the changes against their entities as they are, which it locks so.
func loadAndCompare(ctx context.Context, tx pgx.Tx, store Entities, t Target, parts []changeset.Part, lock string) (*planWriter, error) {
	w := &planWriter{Target: t, store: store, stale: make(map[int64]bool), superseded: make(map[*change]bool)}
	if err := w.prepare(ctx, tx, parts); err != nil {
		return nil, err
	}
	return w, w.compare(ctx, tx, lock)
}

// change is one that is to be written.
type change struct {
	changeset.Change
	table *table
	unit  int64 // the row, or the first of those that are written with it
	// given are the columns whose value the database gave: it gives them anew.
	generated []bool
}

// planWriter is one run over the changes of a chunk.
type planWriter struct {
	Target
	store      Entities
	tables     map[string]*table
	changes    []*change
	stale      map[int64]bool   // by unit
	superseded map[*change]bool // later rows of the file have written these entities
}

// prepare finds the tables of the changes. A change of a column that is there no more
// cannot be written.
func (w *planWriter) prepare(ctx context.Context, tx pgx.Tx, parts []changeset.Part) (err error) {
	if w.tables, err = w.loadTables(ctx, tx, parts); err != nil {
		return err
	}
	for _, part := range parts {
		for i := range part.Changes {
			c := &change{Change: part.Changes[i], table: w.tables[part.Changes[i].Table]}
			if c.unit = c.Row; w.FirstOfGroup != nil && c.Row != 0 {
				c.unit = w.FirstOfGroup(c.Row)
			}
			if c.table == nil || !c.table.hasColumns(c.Columns) {
				w.stale[c.unit] = true
				continue
			}
			c.dropDerived()
			c.markGenerated(part.At)
			w.changes = append(w.changes, c)
		}
	}
	return nil
}

// dropDerived leaves out columns that follow from others.
func (c *change) dropDerived() {
	var columns []string
	var before, after []*string
	for i, name := range c.Columns {
		if c.table.Derived(name) {
			continue
		}
		columns = append(columns, name)
		if c.Before != nil {
			before = append(before, c.Before[i])
		}
		if c.After != nil {
			after = append(after, c.After[i])
		}
	}
	c.Columns, c.Before, c.After = columns, before, after
}

// markGenerated finds the values that the database gave, and has it give them anew.
func (c *change) markGenerated(at string) {
	c.generated = make([]bool, len(c.Columns))
	for i, v := range c.After {
		if v != nil && *v == at && c.table.Kind(c.Columns[i]) == timestamp {
			c.generated[i], c.After[i] = true, new("now")
		}
	}
}

// units are those that are to be written, in their order. 0 stands for what no single row
// has made: it comes first.
func (w *planWriter) units() []int64 {
	var units []int64
	for _, c := range w.changes {
		if !w.stale[c.unit] {
			units = append(units, c.unit)
		}
	}
	slices.Sort(units)
	return slices.Compact(units)
}

// bisect writes units, all or, where the database refuses them, those that can be. One
// that is refused alone is stale: when it was planned, it was not.
func (w *planWriter) bisect(ctx context.Context, tx pgx.Tx, units []int64) error {
	units = slices.DeleteFunc(units, func(unit int64) bool { return w.stale[unit] })
	if len(units) == 0 {
		return nil
	}
	taken, err := w.tryUnits(ctx, tx, units, groupChanges)
	if len(units) == 1 && err != nil && entity.IsDataError(err) {
		// Keys may change hands between the entities of rows that belong together.
		taken, err = w.tryUnits(ctx, tx, units, groupSingly)
	}
	switch {
	case err == nil:
		return nil
	case len(taken) > 0:
		for _, c := range taken {
			w.stale[c.unit] = true
		}
		return w.bisect(ctx, tx, units)
	case !entity.IsDataError(err) || ctx.Err() != nil:
		return err
	case len(units) == 1:
		w.stale[units[0]] = true
		return nil
	}
	half := len(units) / 2
	first, second := slices.Clone(units[:half]), slices.Clone(units[half:])
	if err := w.bisect(ctx, tx, first); err != nil {
		return err
	}
	return w.bisect(ctx, tx, second)
}

// tryUnits writes the units, or nothing.
func (w *planWriter) tryUnits(ctx context.Context, tx pgx.Tx, units []int64, divided func([]*change) []*group) (taken []*change, err error) {
	err = entity.Savepoint(ctx, tx, func(tx pgx.Tx) (err error) {
		if taken, err = w.writeUnits(ctx, tx, units, divided); err == nil && len(taken) > 0 {
			err = errKeysTaken
		}
		return err
	})
	return taken, err
}
