package planapply

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
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
	v, err := g.values(w.Organisation)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `
		SELECT v.place, `+g.unchangedCondition()+`, `+source+`
		FROM (SELECT * FROM `+v.from+` ORDER BY `+v.order+`) AS v
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
	return `CROSS JOIN LATERAL (SELECT ` + g.table.readable() + ` FROM ` + g.table.name + ` AS e WHERE $1::int8 IS NOT NULL AND ` + g.table.Within("e") + ` AND ` + g.table.HasID("e", "v") + ` LIMIT 1 ` + lock + `) AS e`
}

// unchangedCondition returns the condition that an entity is unchanged.
func (g *group) unchangedCondition() string {
	conditions := []string{"true"}
	for i, name := range g.columns {
		if !g.generated[i] {
			conditions = append(conditions, "NOT ("+g.table.Column(name).Differs("e."+entitytable.Quote(name), g.cast("b", i))+")")
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
		holders, err := w.findKeyHolders(ctx, tx, g, g.table.keys)
		if err != nil {
			return err
		}
		existing, err := w.findExistingIDs(ctx, tx, g)
		if err != nil {
			return err
		}
		for _, c := range g.changes {
			if _, held := holders[c]; c.Row != 0 && (held || existing[c]) {
				w.stale[c.unit] = true
			}
		}
	}
	return nil
}

// findExistingIDs returns the changes that create entities with ids that exist by now: a file may
// contain ids.
func (w *planWriter) findExistingIDs(ctx context.Context, tx pgx.Tx, g *group) (map[*change]bool, error) {
	v, err := g.values(w.Organisation)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `
		SELECT v.place
		FROM `+v.from+`
		`+g.entityJoin(""), v.args...)
	if err != nil {
		return nil, fmt.Errorf("ids of %s: %w", g.table.name, err)
	}
	found := make(map[*change]bool)
	var place int64
	if _, err := pgx.ForEachRow(rows, []any{&place}, func() error { found[g.changes[place]] = true; return nil }); err != nil {
		return nil, fmt.Errorf("ids of %s: %w", g.table.name, err)
	}
	return found, nil
}

// findKeyHolders returns the ids of other entities that have some keys of the entities that a group
// creates.
func (w *planWriter) findKeyHolders(ctx context.Context, tx pgx.Tx, g *group, keys []key) (map[*change]string, error) {
	found := make(map[*change]string)
	for _, key := range keys {
		v, err := g.values(w.Organisation)
		if err != nil {
			return nil, err
		}
		exprs := []string(nil)
		for i, expression := range key.parts {
			exprs = append(exprs, fmt.Sprintf("%s AS k%d", expression, i))
		}
		rows, err := tx.Query(ctx, `
			SELECT n.place, e.id
			FROM (SELECT _lb_place AS place, `+g.table.IDText("x")+` AS id, `+strings.Join(exprs, ", ")+` FROM `+g.createdRows(&v)+` AS x) AS n
			`+g.keyHolderJoin(&key), v.args...)
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

// createdRows returns the SQL of the rows that the group creates, with all columns that keys may use.
func (g *group) createdRows(v *values) string {
	row, known := []string{"v.place AS _lb_place"}, make(map[string]bool)
	add := func(name, value string) {
		if !known[name] {
			known[name] = true
			row = append(row, value+" AS "+entitytable.Quote(name))
		}
	}
	if column, value := g.table.Tenant(); column != "" {
		add(column, value)
	}
	for i, name := range g.columns {
		add(name, g.cast("a", i))
	}
	for i, column := range g.table.Identity {
		add(column.Name, "v."+v.ids[i])
	}
	for _, other := range g.table.others {
		add(other.Name, "NULL::"+other.SQL)
	}
	rows := `(SELECT ` + strings.Join(row, ", ") + ` FROM ` + v.from + ` WHERE $1::int8 IS NOT NULL)`
	if len(g.table.generated) == 0 {
		return rows
	}
	computed := []string{"b.*"}
	for _, column := range g.table.generated {
		computed = append(computed, "("+column.SQL+") AS "+entitytable.Quote(column.Name))
	}
	return `(SELECT ` + strings.Join(computed, ", ") + ` FROM ` + rows + ` AS b)`
}

// keyHolderJoin returns the SQL that joins the other entity that has the key of each row of n. If
// the key consists of columns, each is looked up separately, as in entityJoin. An index on an
// expression cannot be used under row level security because its function is not leakproof, so
// those tables, which are small, are read once.
func (g *group) keyHolderJoin(key *key) string {
	id := g.table.IDText("e")
	equal, columns := []string{g.table.Within("e"), id + " <> n.id"}, true
	for i, expression := range key.parts {
		operator := "="
		if key.equals != nil {
			operator = key.equals[i]
		}
		equal = append(equal, fmt.Sprintf("%s %s n.k%d", expression, operator, i))
		columns = columns && !strings.Contains(expression, "(")
	}
	found := `(SELECT ` + id + ` AS id FROM ` + g.table.name + ` AS e WHERE ` + strings.Join(equal, " AND ")
	if columns {
		found += ` LIMIT 1`
	}
	return `CROSS JOIN LATERAL ` + found + `) AS e`
}
