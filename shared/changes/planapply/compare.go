package planapply

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

// compare finds the rows with entities that have changed since the plan was made, in the columns
// that the plan changes. lock locks the other entities.
func (w *planWriter) compare(ctx context.Context, tx pgx.Tx, lock string) error {
	for _, g := range groupChanges(w.changes) {
		if g.op == changeset.Created {
			continue
		}
		if err := w.compareGroup(ctx, tx, g, lock); err != nil {
			return fmt.Errorf("compare entities of %s: %w", g.table.name, err)
		}
	}
	return nil
}

func (w *planWriter) compareGroup(ctx context.Context, tx pgx.Tx, g *group, lock string) error {
	source := "0::int8, 0::int8"
	if g.table.HasSource() {
		source = "coalesce(e.source_job, 0), coalesce(e.source_row, 0)"
	}
	v := g.values(w.Organisation)
	rows, err := tx.Query(ctx, `
		SELECT v.place, `+g.unchangedCondition()+`, `+source+`
		FROM (SELECT * FROM `+v.from+` ORDER BY v.id) AS v
		`+g.entityJoin(lock), v.args...)
	if err != nil {
		return err
	}
	held := make([]bool, len(g.changes))
	var place, source0, row int64
	var same bool
	_, err = pgx.ForEachRow(rows, []any{&place, &same, &source0, &row}, func() error {
		c, own := g.changes[place], source0 == int64(w.Job)
		held[place] = same || own || w.Overwrite && g.op == changeset.Updated
		w.superseded[c] = own && row > c.Row && g.op == changeset.Updated
		return nil
	})
	for i, c := range g.changes {
		if !held[i] {
			w.stale[c.unit] = true
		}
	}
	return err
}

// entityJoin returns the SQL that joins the entity of each row of v. Each entity is looked up and
// locked separately: otherwise the planner reads all entities of the organisation for a few
// thousand, so that applying n changes would read n² entities.
func (g *group) entityJoin(lock string) string {
	return `CROSS JOIN LATERAL (SELECT * FROM ` + g.table.name + ` AS e WHERE e.organisation_id = $1 AND e.id = v.id LIMIT 1 ` + lock + `) AS e`
}

// unchangedCondition returns the condition that an entity is unchanged.
func (g *group) unchangedCondition() string {
	conditions := []string{"true"}
	for i, name := range g.columns {
		if !g.generated[i] {
			conditions = append(conditions, fmt.Sprintf("e.%s IS NOT DISTINCT FROM %s", quoteColumn(name), g.cast("b", i)))
		}
	}
	return strings.Join(conditions, " AND ")
}

// findConflicts finds the rows that would create entities which exist by now, or which have a key
// of another entity.
func (w *planWriter) findConflicts(ctx context.Context, tx pgx.Tx) error {
	for _, g := range groupChanges(w.changes) {
		if g.op != changeset.Created {
			continue
		}
		holders, err := w.findKeyHolders(ctx, tx, g)
		if err == nil {
			err = w.findExistingIDs(ctx, tx, g)
		}
		if err != nil {
			return err
		}
		for c := range holders {
			if c.Row != 0 {
				w.stale[c.unit] = true
			}
		}
	}
	return nil
}

// findExistingIDs finds the rows of entities with ids that exist by now: a file may contain ids.
func (w *planWriter) findExistingIDs(ctx context.Context, tx pgx.Tx, g *group) error {
	v := g.values(w.Organisation)
	rows, err := tx.Query(ctx, `
		SELECT v.row
		FROM `+v.from+`
		`+g.entityJoin("")+`
		WHERE v.row <> 0`, v.args...)
	if err != nil {
		return fmt.Errorf("ids of %s: %w", g.table.name, err)
	}
	var row int64
	if _, err := pgx.ForEachRow(rows, []any{&row}, func() error { w.stale[row] = true; return nil }); err != nil {
		return fmt.Errorf("ids of %s: %w", g.table.name, err)
	}
	return nil
}

// findKeyHolders returns the ids of other entities that have the keys of the entities that a group
// creates.
func (w *planWriter) findKeyHolders(ctx context.Context, tx pgx.Tx, g *group) (map[*change]string, error) {
	found := make(map[*change]string)
	for _, key := range g.table.keys {
		v := g.values(w.Organisation)
		var fresh, exprs []string
		for i, name := range g.columns {
			fresh = append(fresh, fmt.Sprintf("%s AS %s", g.cast("a", i), quoteColumn(name)))
		}
		for i, expression := range key {
			exprs = append(exprs, fmt.Sprintf("%s AS k%d", expression, i))
		}
		if !slices.Contains(g.columns, "id") {
			fresh = append(fresh, "v.id")
		}
		rows, err := tx.Query(ctx, `
			SELECT n.place, e.id::text
			FROM (SELECT place, id, `+strings.Join(exprs, ", ")+` FROM (SELECT v.place, $1::int8 AS organisation_id, `+strings.Join(fresh, ", ")+` FROM `+v.from+`) AS x) AS n
			`+g.keyHolderJoin(key), v.args...)
		if err != nil {
			return nil, fmt.Errorf("keys of %s: %w", g.table.name, err)
		}
		var place int64
		var id string
		if _, err := pgx.ForEachRow(rows, []any{&place, &id}, func() error { found[g.changes[place]] = id; return nil }); err != nil {
			return nil, fmt.Errorf("keys of %s: %w", g.table.name, err)
		}
	}
	return found, nil
}

// keyHolderJoin returns the SQL that joins the other entity that has the key of each row of n. If
// the key consists of columns, each is looked up separately, as in entityJoin. An index on an
// expression cannot be used under row level security because its function is not leakproof, so
// those tables, which are small, are read once.
func (g *group) keyHolderJoin(key []string) string {
	equal, columns := []string{"e.organisation_id = $1", "e.id <> n.id"}, true
	for i, expression := range key {
		equal = append(equal, fmt.Sprintf("%s = n.k%d", expression, i))
		columns = columns && !strings.Contains(expression, "(")
	}
	found := `(SELECT e.id FROM ` + g.table.name + ` AS e WHERE ` + strings.Join(equal, " AND ")
	if columns {
		found += ` LIMIT 1`
	}
	return `CROSS JOIN LATERAL ` + found + `) AS e`
}
