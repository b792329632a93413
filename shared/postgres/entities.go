package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
)

// LockEntities locks the existing entities until the transaction ends. It returns by id their
// values of the given columns, as far as the table has them, and a hash of the hashed ones.
func (*DB) LockEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, ids, columns, hashed []string) (map[string]*undo.Entity, error) {
	names, parts := t.Existing(columns), t.Existing(hashed)
	rows, err := tx.Query(ctx, fmt.Sprintf(`
		SELECT e.id, e.hash, e.record
		FROM (SELECT unnest($1::text[]::%s[]) AS id ORDER BY 1) AS v
		CROSS JOIN LATERAL (
			SELECT e.id::text AS id, hash_record_extended(%s, 0) AS hash, %s::text AS record
			FROM %s AS e
			WHERE e.organisation_id = current_organisation() AND e.id = v.id
			LIMIT 1
			FOR UPDATE
		) AS e`, t.IDType, recordSQL(parts), recordSQL(names), quoteIdentifier(t.Name)), ids)
	if err != nil {
		return nil, fmt.Errorf("lock %d of %s: %w", len(ids), t.Name, err)
	}
	found := make(map[string]*undo.Entity, len(ids))
	var id, record string
	var hash int64
	_, err = pgx.ForEachRow(rows, []any{&id, &hash, &record}, func() error {
		values, err := changeset.ParseRecord(record, len(names))
		if err != nil {
			return err
		}
		e := &undo.Entity{Hash: hash, Hashed: len(parts) == len(hashed), Values: make(map[string]*string, len(names))}
		for i, name := range names {
			e.Values[name] = values[i]
		}
		found[id] = e
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock %d of %s: %w", len(ids), t.Name, err)
	}
	return found, nil
}

// recordSQL returns the SQL of a record of columns of e, in the form of capture_changes.
func recordSQL(columns []string) string {
	names := make([]string, len(columns))
	for i, name := range columns {
		names[i] = "e." + quoteIdentifier(name)
	}
	return "ROW(" + strings.Join(names, ", ") + ")"
}

// DiscardQueryPlans makes Postgres discard the session's cached plans, so that foreign keys to
// deleted rows are checked by plans for the current table sizes (docs/decisions/0012).
func (*DB) DiscardQueryPlans(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT forget_plans()`); err != nil {
		return fmt.Errorf("discard query plans: %w", err)
	}
	return nil
}

// matchIDs returns the SQL condition that an entity's id is in a parameter. Each id is looked
// up separately: there are a few thousand, and the planner would consider it cheaper to read
// all entities of the organisation each time. It applies to entities that the transaction has
// locked.
func matchIDs(t *entitytable.Table, ids string) string {
	return fmt.Sprintf(`ARRAY(SELECT %s FROM unnest(%s::text[]::%s[]) AS v(id))`, matchRow(t), ids, t.IDType)
}

// matchRow returns the SQL condition that an entity has the id of v. v.id must have the
// column's type: under row level security, Postgres does not use an index for a comparison
// with a cast that is not leakproof, such as from text to uuid.
func matchRow(t *entitytable.Table) string {
	return fmt.Sprintf(`(SELECT o.ctid FROM %s AS o WHERE o.organisation_id = current_organisation() AND o.id = v.id LIMIT 1)`, quoteIdentifier(t.Name))
}

// Referenced returns the ids of those of the locked entities that are referenced.
func (*DB) Referenced(ctx context.Context, tx pgx.Tx, t *entitytable.Table, ids []string) (map[string]bool, error) {
	found := make(map[string]bool)
	if len(t.References) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`
		SELECT e.id::text
		FROM %s AS e
		WHERE e.ctid = ANY (%s) AND (%s)`,
		quoteIdentifier(t.Name), matchIDs(t, "$1"), referencedSQL(t)), ids)
	if err != nil {
		return nil, fmt.Errorf("find references to %d of %s: %w", len(ids), t.Name, err)
	}
	var id string
	if _, err = pgx.ForEachRow(rows, []any{&id}, func() error { found[id] = true; return nil }); err != nil {
		return nil, fmt.Errorf("find references to %d of %s: %w", len(ids), t.Name, err)
	}
	return found, nil
}

// DeleteEntities deletes locked entities.
func (*DB) DeleteEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, ids []string) error {
	_, err := tx.Exec(ctx, fmt.Sprintf(`
		DELETE FROM %s AS e
		WHERE e.ctid = ANY (%s)`, quoteIdentifier(t.Name), matchIDs(t, "$1")), ids)
	if err != nil {
		return fmt.Errorf("delete %d of %s: %w", len(ids), t.Name, err)
	}
	return nil
}

// UpdateEntities updates columns of locked entities on behalf of a job.
func (*DB) UpdateEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) error {
	w := newEntityWrite(t, by, columns, entities)
	set := sourceAssignments(t)
	for _, c := range w.columns {
		set = append(set, quoteIdentifier(c.name)+" = "+c.value)
	}
	if len(set) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, fmt.Sprintf(`
		UPDATE %s AS e
		SET %s
		FROM (SELECT v.*, %s AS place FROM %s OFFSET 0) AS v
		WHERE $1::bigint IS NOT NULL AND e.ctid = v.place`,
		quoteIdentifier(t.Name), strings.Join(set, ", "), matchRow(t), w.from(t)), w.args...)
	if err != nil {
		return fmt.Errorf("update %d of %s: %w", len(entities), t.Name, err)
	}
	return nil
}

// RecreateEntities inserts deleted entities again on behalf of a job.
func (*DB) RecreateEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) error {
	w := newEntityWrite(t, by, columns, entities)
	if _, err := tx.Exec(ctx, w.insert(t), w.args...); err != nil {
		return fmt.Errorf("recreate %d of %s: %w", len(entities), t.Name, err)
	}
	return nil
}

// InsertEntities inserts entities with their ids on behalf of a job, and returns the ids of
// the inserted ones: those that conflicted with no existing entity.
func (*DB) InsertEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) (map[string]bool, error) {
	w := newEntityWrite(t, by, columns, entities)
	rows, err := tx.Query(ctx, w.insert(t)+`
		ON CONFLICT DO NOTHING
		RETURNING id::text`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("insert %d of %s: %w", len(entities), t.Name, err)
	}
	made := make(map[string]bool, len(entities))
	var id string
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { made[id] = true; return nil }); err != nil {
		return nil, fmt.Errorf("insert %d of %s: %w", len(entities), t.Name, err)
	}
	return made, nil
}

// entityWrite is a statement that writes values of entities, which v contains as texts.
type entityWrite struct {
	args    []any // the job, the ids, the rows, then the columns
	columns []columnValue
}

type columnValue struct{ name, value string }

// newEntityWrite omits columns that the table no longer has, and derived ones.
func newEntityWrite(t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) *entityWrite {
	ids, rows := make([]string, len(entities)), make([]int64, len(entities))
	for i := range entities {
		ids[i], rows[i] = entities[i].ID, entities[i].Row
	}
	w := &entityWrite{args: []any{by, ids, rows}}
	for place, name := range columns {
		c := t.Column(name)
		if c == nil || c.Generated {
			continue
		}
		values := make([]*string, len(entities))
		for i := range entities {
			values[i] = entities[i].Values[place]
		}
		w.columns = append(w.columns, columnValue{name, fmt.Sprintf("v.c%d::%s", len(w.columns), c.Type)})
		w.args = append(w.args, values)
	}
	return w
}

// insert returns the SQL that inserts entities.
func (w *entityWrite) insert(t *entitytable.Table) string {
	names, values := []string{"organisation_id"}, []string{"current_organisation()"}
	for _, source := range sourceAssignments(t) {
		name, value, _ := strings.Cut(source, " = ")
		names, values = append(names, name), append(values, value)
	}
	for _, c := range w.columns {
		names, values = append(names, quoteIdentifier(c.name)), append(values, c.value)
	}
	return fmt.Sprintf(`
		INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE
		SELECT %s
		FROM %s
		WHERE $1::bigint IS NOT NULL`, quoteIdentifier(t.Name), strings.Join(names, ", "), strings.Join(values, ", "), w.from(t))
}

// from returns the SQL of the values, with ids of the column's type as matchRow requires. It
// hides the number of values from the planner, which would otherwise read a whole table
// instead of looking up each of a few thousand.
func (w *entityWrite) from(t *entitytable.Table) string {
	arrays, names := fmt.Sprintf("(SELECT $2::text[]::%s[]), (SELECT $3::bigint[])", t.IDType), "id, row"
	for i := range w.columns {
		arrays += fmt.Sprintf(", (SELECT $%d::text[])", i+4)
		names += fmt.Sprintf(", c%d", i)
	}
	return fmt.Sprintf("unnest(%s) AS v(%s)", arrays, names)
}
