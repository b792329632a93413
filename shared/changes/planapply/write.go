package planapply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
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
			err = w.store.UpdateEntities(ctx, tx, g.table.Table, w.Job, g.columns, g.rows())
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
// have been created by another import meanwhile: then that entity is used instead.
func (w *planWriter) create(ctx context.Context, tx pgx.Tx, g *group, elsewhere map[string]string) ([]*change, error) {
	redirectReferences(g, elsewhere)
	made, err := w.store.InsertEntities(ctx, tx, g.table.Table, w.Job, g.columns, g.rows())
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(slices.Clone(g.changes), func(c *change) bool { return made[c.ID] })
	return w.findShared(ctx, tx, g, left, elsewhere)
}

// findShared looks for existing entities in place of those that no single row creates, and returns
// the changes for which it finds none.
func (w *planWriter) findShared(ctx context.Context, tx pgx.Tx, g *group, left []*change, elsewhere map[string]string) ([]*change, error) {
	if !slices.ContainsFunc(left, func(c *change) bool { return c.Row == 0 }) {
		return left, nil
	}
	holders, err := w.findKeyHolders(ctx, tx, g)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(left, func(c *change) bool {
		id, found := holders[c]
		if found = found && c.Row == 0; found {
			elsewhere[c.Table+" "+c.ID] = id
		}
		return found
	}), nil
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
