package planned

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changeset"
)

// errTaken rolls rows back of which some would create what others have created meanwhile.
var errTaken = errors.New("keys are taken")

// writeUnits writes the changes of those units, and returns those that could not be written
// because their keys are taken.
func (w *writing) writeUnits(ctx context.Context, tx pgx.Tx, units []int64, divided func([]*change) []*group) (taken []*change, err error) {
	var changes []*change
	for _, c := range w.changes {
		if _, wanted := slices.BinarySearch(units, c.unit); wanted && !w.over[c] {
			changes = append(changes, c)
		}
	}
	elsewhere := make(map[string]string) // the ids of what somebody has made already, by table and planned id
	for _, g := range divided(changes) {
		var left []*change
		switch g.op {
		case changeset.Created:
			left, err = w.create(ctx, tx, g, elsewhere)
		case changeset.Updated:
			err = w.update(ctx, tx, g)
		case changeset.Deleted:
			err = w.remove(ctx, tx, g)
		}
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", g.table.name, err)
		}
		taken = append(taken, left...)
	}
	return taken, nil
}

// create inserts entities under the ids that they were shown with. What no single row has
// made, somebody else may have made as well: that one is taken instead.
func (w *writing) create(ctx context.Context, tx pgx.Tx, g *group, elsewhere map[string]string) ([]*change, error) {
	refer(g, elsewhere)
	columns, selected := []string{"organisation_id"}, []string{"$1"}
	args := []any{w.Organisation}
	if g.table.sourced {
		columns, selected, args = append(columns, "source_job", "source_row"), append(selected, "$2", "nullif(v.row, 0)"), append(args, w.Job)
	}
	for i, name := range g.columns {
		columns, selected = append(columns, quoted(name)), append(selected, g.cast("a", i))
	}
	v := g.values(args...)
	rows, err := tx.Query(ctx, `
		INSERT INTO `+g.table.name+` (`+strings.Join(columns, ", ")+`)
		OVERRIDING SYSTEM VALUE
		SELECT `+strings.Join(selected, ", ")+`
		FROM `+v.from+`
		ORDER BY v.place
		ON CONFLICT DO NOTHING
		RETURNING id::text`, v.args...)
	if err != nil {
		return nil, err
	}
	made := make(map[string]bool, len(g.changes))
	var id string
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { made[id] = true; return nil }); err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(slices.Clone(g.changes), func(c *change) bool { return made[c.ID] })
	return w.shared(ctx, tx, g, left, elsewhere)
}

// shared finds what others have made of that which no single row makes, and returns the
// changes of which there is nothing to be found.
func (w *writing) shared(ctx context.Context, tx pgx.Tx, g *group, left []*change, elsewhere map[string]string) ([]*change, error) {
	if !slices.ContainsFunc(left, func(c *change) bool { return c.Row == 0 }) {
		return left, nil
	}
	holders, err := w.holders(ctx, tx, g)
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

// refer has entities refer to what somebody else has made.
func refer(g *group, elsewhere map[string]string) {
	for other, columns := range g.table.refers {
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

// update gives entities their planned values. That they are what they were is known, and
// they are locked.
func (w *writing) update(ctx context.Context, tx pgx.Tx, g *group) error {
	args, set := []any{w.Organisation}, []string{}
	if g.table.sourced {
		set, args = append(set, "source_job = $2", "source_row = nullif(v.row, 0)"), append(args, w.Job)
	}
	for i, name := range g.columns {
		set = append(set, fmt.Sprintf("%s = %s", quoted(name), g.cast("a", i)))
	}
	if len(set) == 0 {
		return nil
	}
	v := g.values(args...)
	_, err := tx.Exec(ctx, `
		UPDATE `+g.table.name+` AS e
		SET `+strings.Join(set, ", ")+`
		FROM `+v.from+`
		WHERE e.organisation_id = $1 AND e.id = v.id::`+g.table.types["id"], v.args...)
	return err
}

// remove deletes entities.
func (w *writing) remove(ctx context.Context, tx pgx.Tx, g *group) error {
	ids := make([]string, len(g.changes))
	for i, c := range g.changes {
		ids[i] = c.ID
	}
	_, err := tx.Exec(ctx, `DELETE FROM `+g.table.name+` WHERE organisation_id = $1 AND id = ANY ($2::text[]::`+g.table.types["id"]+`[])`, w.Organisation, ids)
	return err
}
