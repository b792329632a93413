package planapply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
)

// errKeysTaken rolls back rows that would create entities which others have created meanwhile.
var errKeysTaken = errors.New("keys are taken")

// writeUnits writes the changes of the units and returns those that could not be written because
// their keys are taken.
func (w *planWriter) writeUnits(ctx context.Context, tx pgx.Tx, units []int64, divided func([]*change) []*group) (taken []*change, err error) {
	var changes []*change
	for _, c := range w.changes {
		if _, wanted := slices.BinarySearch(units, c.unit); wanted && !w.superseded[c] {
			changes = append(changes, c)
		}
	}
	elsewhere := make(map[string]string) // ids of entities that others have created already, by table and planned id
	for _, g := range divided(changes) {
		var left []*change
		switch g.op {
		case changeset.Created:
			left, err = w.create(ctx, tx, g, elsewhere)
		case changeset.Updated:
			if err = w.store.UpdateEntities(ctx, tx, g.table.Table, w.Job, g.columns, g.rows()); err == nil {
				err = w.store.CheckKeys(ctx, tx, g.table.Table, g.columns, g.rows())
			}
		case changeset.Deleted:
			err = w.store.DeleteEntities(ctx, tx, g.table.Table, g.ids())
		}
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", g.table.name, err)
		}
		taken = append(taken, left...)
	}
	return taken, nil
}

// create inserts entities under their planned ids. An entity that no single row creates may
// have been created by another import meanwhile: then that entity is used instead. It returns the
// other changes, with ids or keys that are taken.
func (w *planWriter) create(ctx context.Context, tx pgx.Tx, g *group, elsewhere map[string]string) ([]*change, error) {
	redirectReferences(g, elsewhere)
	if taken, err := w.takenUnguarded(ctx, tx, g); err != nil || len(taken) > 0 {
		return taken, err
	}
	violation := entity.Savepoint(ctx, tx, func(tx pgx.Tx) error { return w.insert(ctx, tx, g) })
	if !entity.IsUniqueViolation(violation) {
		return nil, violation
	}
	holders, err := w.findKeyHolders(ctx, tx, g, g.table.keys)
	if err != nil {
		return nil, err
	}
	existing, err := w.findExistingIDs(ctx, tx, g)
	if err != nil {
		return nil, err
	}
	var taken []*change
	rest := *g
	rest.changes = nil
	for _, c := range g.changes {
		switch holder, held := holders[c]; {
		case held && c.Row == 0:
			elsewhere[c.Table+" "+c.ID] = holder
		case held || existing[c]:
			taken = append(taken, c)
		default:
			rest.changes = append(rest.changes, c)
		}
	}
	if len(rest.changes) == len(g.changes) {
		return nil, violation // of a key that several of them have
	}
	return taken, w.insert(ctx, tx, &rest)
}

// takenUnguarded returns the changes with a key that another entity has by now, and that the database
// would not refuse.
func (w *planWriter) takenUnguarded(ctx context.Context, tx pgx.Tx, g *group) (taken []*change, err error) {
	keys := slices.DeleteFunc(slices.Clone(g.table.keys), func(k key) bool { return !k.unguarded })
	holders, err := w.findKeyHolders(ctx, tx, g, keys)
	if err != nil {
		return nil, err
	}
	for _, c := range g.changes {
		if _, held := holders[c]; held {
			taken = append(taken, c)
		}
	}
	return taken, nil
}

func (w *planWriter) insert(ctx context.Context, tx pgx.Tx, g *group) error {
	if len(g.changes) == 0 {
		return nil
	}
	return w.store.InsertEntities(ctx, tx, g.table.Table, w.Job, g.columns, g.rows())
}

// redirectReferences replaces references to planned entities by the existing ones.
func redirectReferences(g *group, elsewhere map[string]string) {
	for other, columns := range g.table.references {
		for i, name := range g.columns {
			if !slices.Contains(columns, name) {
				continue
			}
			for _, c := range g.changes {
				if v := c.After[i]; v != nil && elsewhere[other+" "+*v] != "" {
					c.After[i] = new(elsewhere[other+" "+*v])
				}
			}
		}
	}
}
