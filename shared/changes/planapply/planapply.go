// Package planapply writes the change set of a plan: exactly the changes that were previewed, even
// if the file would lead to other changes now. It is independent of import types: the changes
// name tables and columns, which are looked up in the current schema.
//
// A row is stale if one of its entities has changed or one of its keys is taken: none of its
// changes is written. Changes by other rows of the same file count as planned: the later row
// wins.
//
// Tested by shared/step: plans that are applied, on a real database.
package planapply

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Entities describes tables, and writes entities that are locked or new.
type Entities interface {
	entitytable.Store
	InsertEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) error
	UpdateEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) error
	// CheckKeys returns entitytable.ErrKeyTaken if an entity of which columns were written has a key of
	// another one that no index guarantees.
	CheckKeys(ctx context.Context, tx pgx.Tx, t *entitytable.Table, columns []string, entities []entitytable.Row) error
	DeleteEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, ids []string) error
}

// Target specifies the job and the options of the write.
type Target struct {
	Organisation tenant.ID
	// Type describes the tables of a declared type; nil, or another type, if there are none.
	Type entity.Type
	Job  job.Key // recorded as the source of the entities
	// FirstOfGroup returns, for a row that makes a change, the first row of its group. The rows of
	// a group concern the same entities, and all or none of them are written. nil: each row is a
	// group of its own.
	FirstOfGroup func(row int64) int64
	// Whole makes all changes one unit, 0: either all of them are written or none.
	Whole bool
	// Overwrite writes planned values over changed ones. A deleted entity or a taken key makes a
	// row stale even so.
	Overwrite bool
	// Verify is called after all changes were written, and reports whether the data is consistent.
	// If not, none of the changes is written. It requires Whole; nil means that nothing is checked.
	Verify func(ctx context.Context, tx pgx.Tx) (bool, error)
}

// Write writes the changes and returns the stale rows; for a group, its first row.
func Write(ctx context.Context, tx pgx.Tx, store Entities, t Target, parts []changeset.Part) (stale map[int64]bool, err error) {
	if l, ok := t.Type.(keyLocker); ok {
		if err := l.LockKeys(ctx, tx); err != nil {
			return nil, err
		}
	}
	w, err := loadAndCompare(ctx, tx, store, t, parts, "FOR NO KEY UPDATE")
	if err != nil {
		return nil, err
	}
	return w.stale, w.bisect(ctx, tx, w.units())
}

// keyLocker types have keys that no index guarantees.
type keyLocker interface {
	// LockKeys lets writers of rows with such keys take turns, until their transactions end.
	LockKeys(ctx context.Context, tx pgx.Tx) error
}

// FindStale returns the rows that Write would find stale now. It writes nothing, and locks nothing
// except for Verify.
func FindStale(ctx context.Context, tx pgx.Tx, store Entities, t Target, parts []changeset.Part) (stale map[int64]bool, err error) {
	w, err := loadAndCompare(ctx, tx, store, t, parts, "")
	if err != nil {
		return nil, err
	}
	if err := w.findConflicts(ctx, tx); err != nil || t.Verify == nil || len(w.stale) > 0 {
		return w.stale, err
	}
	err = entity.Savepoint(ctx, tx, func(tx pgx.Tx) error {
		if err := w.bisect(ctx, tx, w.units()); err != nil {
			return err
		}
		return errTried
	})
	if errors.Is(err, errTried) {
		err = nil
	}
	return w.stale, err
}

// errTried rolls back changes that were written to find out whether they can be.
var errTried = errors.New("changes were tried")

// loadAndCompare compares the changes with the current entities, which it locks with lock.
func loadAndCompare(ctx context.Context, tx pgx.Tx, store Entities, t Target, parts []changeset.Part, lock string) (*planWriter, error) {
	w := &planWriter{Target: t, store: store, stale: make(map[int64]bool), superseded: make(map[*change]bool)}
	if err := w.prepare(ctx, tx, parts); err != nil {
		return nil, err
	}
	return w, w.compare(ctx, tx, lock)
}

// change is one change to write.
type change struct {
	changeset.Change
	table *table
	unit  int64 // the row, or the first row of its group
	// generated marks the columns with values that the database generated and generates again.
	generated []bool
}

// planWriter processes the changes of one chunk.
type planWriter struct {
	Target
	store      Entities
	tables     map[string]*table
	changes    []*change
	stale      map[int64]bool   // by unit
	superseded map[*change]bool // changes of entities that later rows of the file write again
}

// prepare finds the tables of the changes. A change of a column that no longer exists cannot be
// written.
func (w *planWriter) prepare(ctx context.Context, tx pgx.Tx, parts []changeset.Part) (err error) {
	if w.tables, err = w.loadTables(ctx, tx, parts); err != nil {
		return err
	}
	for _, part := range parts {
		for i := range part.Changes {
			c := &change{Change: part.Changes[i], table: w.tables[part.Changes[i].Table]}
			switch {
			case w.Whole:
			case w.FirstOfGroup != nil && c.Row != 0:
				c.unit = w.FirstOfGroup(c.Row)
			default:
				c.unit = c.Row
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

// dropDerived removes generated columns.
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

// markGenerated marks the values that the database generated, which it generates again.
func (c *change) markGenerated(at string) {
	c.generated = make([]bool, len(c.Columns))
	for i, v := range c.After {
		if v != nil && *v == at && c.table.Kind(c.Columns[i]) == timestamp {
			c.generated[i], c.After[i] = true, new("now")
		}
	}
}

// units returns the units to write, in order. 0 is the unit of changes without a single row; it
// comes first.
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

// errInconsistent rolls back changes that do not fit the other data.
var errInconsistent = errors.New("the changes do not fit the current data")

// bisect writes all units or, if the database rejects them, those that can be written. A unit
// that is rejected alone is stale, because it was accepted when it was planned.
func (w *planWriter) bisect(ctx context.Context, tx pgx.Tx, units []int64) error {
	units = slices.DeleteFunc(units, func(unit int64) bool { return w.stale[unit] })
	if len(units) == 0 {
		return nil
	}
	taken, err := w.tryUnits(ctx, tx, units, groupChanges)
	if len(units) == 1 && err != nil && isRefusal(err) {
		// A key may move between the entities of rows of one group.
		taken, err = w.tryUnits(ctx, tx, units, groupSingly)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errInconsistent):
		w.stale[units[0]] = true
		return nil
	case len(taken) > 0:
		for _, c := range taken {
			w.stale[c.unit] = true
		}
		return w.bisect(ctx, tx, units)
	case !isRefusal(err) || ctx.Err() != nil:
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

// isRefusal reports whether the database refuses some of the rows, rather than all.
func isRefusal(err error) bool {
	return entity.IsDataError(err) || errors.Is(err, entitytable.ErrNotWritten) || errors.Is(err, entitytable.ErrKeyTaken)
}

// tryUnits writes all units or none.
func (w *planWriter) tryUnits(ctx context.Context, tx pgx.Tx, units []int64, divided func([]*change) []*group) (taken []*change, err error) {
	err = entity.Savepoint(ctx, tx, func(tx pgx.Tx) (err error) {
		if taken, err = w.writeUnits(ctx, tx, units, divided); err != nil || w.Verify == nil && len(taken) == 0 {
			return err
		}
		if len(taken) > 0 {
			return errKeysTaken
		}
		same, err := w.Verify(ctx, tx)
		if err == nil && !same {
			err = errInconsistent
		}
		return err
	})
	return taken, err
}
