package undo

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/undo"
)

// maxRecomputations is the maximum number of parts of change sets that are searched for computed
// values. Beyond it, a created entity whose values were computed again is kept.
const maxRecomputations = 200

// recomputations are the values of computed columns before they were computed again, by other
// imports or by the undo itself.
type recomputations struct {
	before map[string]map[string]*string // the earliest ones, by entity and column
	from   int64                         // changes from this place on have been read; 0 for none
}

// addOwn adds the changes of a part of the undo itself, which are later than all others.
func (r *recomputations) addOwn(p *part, changes []changeset.Change) {
	r.add(p, changes, func(of map[string]*string, column string, before *string) {
		if _, known := of[column]; !known {
			of[column] = before
		}
	})
}

func (r *recomputations) add(p *part, changes []changeset.Change, note func(of map[string]*string, column string, before *string)) {
	for i := range changes {
		c := &changes[i]
		if c.Op != changeset.Updated {
			continue
		}
		for n, column := range c.Columns {
			if !p.isComputed(c.Table, column) {
				continue
			}
			if r.before == nil {
				r.before = make(map[string]map[string]*string)
			}
			if r.before[c.ID] == nil {
				r.before[c.ID] = make(map[string]*string)
			}
			note(r.before[c.ID], column, c.Before[n])
		}
	}
}

// readSince adds the changes after the part, the latest first.
func (s *Step) readSince(ctx context.Context, tx pgx.Tx, p *part, table string) error {
	r := p.recomputed
	parts, err := s.store.ChangesOfTableSince(ctx, tx, table, p.chunk.Offset+1, maxRecomputations)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if r.from > 0 && part.Place >= r.from {
			continue
		}
		changes, err := s.store.ChangesAtPlace(ctx, tx, part.Place)
		if err != nil {
			return err
		}
		r.add(p, changes, func(of map[string]*string, column string, before *string) { of[column] = before })
	}
	r.from = p.chunk.Offset + 1
	return nil
}

// ignoreRecomputations gives created entities the hash that they had when they were created, if
// only computed values have changed since: these are no reason to keep an entity.
func (s *Step) ignoreRecomputations(ctx context.Context, tx pgx.Tx, p *part, t *entitytable.Table, run []*reversal, found map[string]*undo.Entity) error {
	of := &run[0].change
	if of.Op != changeset.Created || !p.hasComputed(of.Table) || p.force {
		return nil
	}
	var changed []*reversal
	for _, l := range run {
		if e := found[l.change.ID]; e != nil && e.Hashed && e.Hash != l.change.Hash {
			changed = append(changed, l)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	if err := s.readSince(ctx, tx, p, of.Table); err != nil {
		return err
	}
	current, err := s.store.LockEntities(ctx, tx, t, idsOf(changed), of.Hashed, nil)
	if err != nil {
		return err
	}
	for _, l := range changed {
		before, e := p.recomputed.before[l.change.ID], current[l.change.ID]
		if len(before) == 0 || e == nil {
			continue
		}
		for column, value := range before {
			e.Values[column] = value
		}
		hash, ok, err := s.store.EntityHash(ctx, tx, &entitytable.Entity{Table: t.Name, Declared: t}, of.Hashed, e.Values)
		if err != nil {
			return err
		}
		if ok && hash == l.change.Hash {
			found[l.change.ID].Hash = hash
		}
	}
	return nil
}
