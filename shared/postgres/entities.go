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
	v, err := t.IDArrays(0, ids)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`
		SELECT e.id, e.hash, e.record
		FROM (SELECT %[1]s FROM unnest(%[2]s) AS v(%[1]s) ORDER BY %[1]s) AS v
		CROSS JOIN LATERAL (
			SELECT %[3]s AS id, %[4]s AS hash, %[5]s::text AS record
			FROM %[6]s AS e
			WHERE %[7]s AND %[8]s
			LIMIT 1
			FOR UPDATE
		) AS e`, strings.Join(v.Names, ", "), strings.Join(v.Arrays, ", "), t.IDText("e"), t.Hash("e", parts), recordSQL(names), t.SQL(), t.Within("e"), t.HasID("e", "v")), v.Args...)
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
		e := &undo.Entity{Touched: t.Touched(), Hash: hash, Hashed: len(parts) == len(hashed), Values: make(map[string]*string, len(names))}
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
	return entitytable.Record(columns, func(name string) string { return "e." + entitytable.Quote(name) })
}

// DiscardQueryPlans makes Postgres discard the session's cached plans, so that foreign keys to
// deleted rows are checked by plans for the current table sizes (docs/decisions/0012).
func (*DB) DiscardQueryPlans(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT forget_plans()`); err != nil {
		return fmt.Errorf("discard query plans: %w", err)
	}
	return nil
}

// fromIDs returns the SQL of the ids v for a join. It hides the number of ids from the planner; see
// entityWrite.from.
func fromIDs(v entitytable.IDs) string {
	arrays := make([]string, len(v.Arrays))
	for i, array := range v.Arrays {
		arrays[i] = "(SELECT " + array + ")"
	}
	return fmt.Sprintf("unnest(%s) AS v(%s)", strings.Join(arrays, ", "), strings.Join(v.Names, ", "))
}

// Referenced returns the ids of those of the locked entities that are referenced.
func (*DB) Referenced(ctx context.Context, tx pgx.Tx, t *entitytable.Table, ids []string) (map[string]bool, error) {
	found := make(map[string]bool)
	if t.Referred {
		for _, id := range ids {
			found[id] = true
		}
		return found, nil
	}
	if len(t.References) == 0 {
		return found, nil
	}
	v, err := t.IDArrays(0, ids)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`
		SELECT %s
		FROM %s
		JOIN %s AS e ON %s AND %s
		WHERE %s`, t.IDText("e"), fromIDs(v), t.SQL(), t.HasID("e", "v"), t.Within("e"), referencedSQL(t)), v.Args...)
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
	v, err := t.IDArrays(0, ids)
	if err != nil {
		return err
	}
	sql := fmt.Sprintf(`
		DELETE FROM %s AS e
		USING %s
		WHERE %s AND %s`, t.SQL(), fromIDs(v), t.HasID("e", "v"), t.Within("e"))
	if t.Declared != nil {
		sql = recording(t, "DELETE", sql+" RETURNING 0 AS line, "+t.RecordedDelete(), &v.Args)
	}
	if err := write(ctx, tx, t, sql, v.Args, len(ids)); err != nil {
		return fmt.Errorf("delete %d of %s: %w", len(ids), t.Name, err)
	}
	return nil
}

// write runs a statement that writes n entities, which are locked or new. A trigger of a declared table
// can drop some: entitytable.ErrNotWritten.
func write(ctx context.Context, tx pgx.Tx, t *entitytable.Table, sql string, args []any, n int) error {
	if t.Declared == nil {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}
	var written int
	if err := tx.QueryRow(ctx, sql, args...).Scan(&written, nil); err != nil {
		return err
	}
	if written < n {
		return entitytable.ErrNotWritten
	}
	return nil
}

// CheckKeys returns entitytable.ErrKeyTaken if an entity of which columns were written has a key of another
// one that no index guarantees.
func (*DB) CheckKeys(ctx context.Context, tx pgx.Tx, t *entitytable.Table, columns []string, entities []entitytable.Row) error {
	ids := make([]string, len(entities))
	for i := range entities {
		ids[i] = entities[i].ID
	}
	sql, args, err := t.KeyTaken(columns, ids)
	if err != nil || sql == "" {
		return err
	}
	var taken bool
	if err := tx.QueryRow(ctx, sql, args...).Scan(&taken); err != nil {
		return fmt.Errorf("compare keys of %s: %w", t.Name, err)
	}
	if taken {
		return entitytable.ErrKeyTaken
	}
	return nil
}

// recording returns the SQL of a statement that records what a statement on a declared table writes
// and returns, with its count. It adds a parameter.
func recording(t *entitytable.Table, operation, statement string, args *[]any) string {
	captured := "true"
	if !t.Declared.Off {
		*args = append(*args, t.RecordingHead())
		captured = t.Recording(operation, fmt.Sprintf("$%d::text", len(*args)))
	}
	return fmt.Sprintf(`
		WITH written AS (%s)
		SELECT count(*), %s
		FROM written`, statement, captured)
}

// UpdateEntities updates columns of locked entities on behalf of a job.
func (*DB) UpdateEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) error {
	w, err := newEntityWrite(t, by, columns, entities)
	if err != nil {
		return err
	}
	set := sourceAssignments(t)
	for _, c := range w.columns {
		set = append(set, entitytable.Quote(c.name)+" = "+c.value)
	}
	if len(set) == 0 {
		return nil
	}
	sql := fmt.Sprintf(`
		UPDATE %s AS e
		SET %s
		FROM %s
		WHERE $1::bigint IS NOT NULL AND %s AND %s`, t.SQL(), strings.Join(set, ", "), w.from(), t.HasID("e", "v"), t.Within("e"))
	if t.Declared != nil {
		sql = recording(t, "UPDATE", fmt.Sprintf(`
			UPDATE %[1]s AS e
			SET %[2]s
			FROM %[3]s
			JOIN %[1]s AS o ON %[4]s AND %[5]s
			WHERE $1::bigint IS NOT NULL AND %[6]s AND %[7]s
			RETURNING v._lb_row AS line, %[8]s`,
			t.SQL(), strings.Join(set, ", "), w.from(), t.HasID("o", "v"), t.Within("o"), t.HasID("e", "v"), t.Within("e"), t.RecordedUpdate()), &w.args)
	}
	if err := write(ctx, tx, t, sql, w.args, len(entities)); err != nil {
		return fmt.Errorf("update %d of %s: %w", len(entities), t.Name, err)
	}
	return nil
}

// InsertEntities inserts entities with their ids on behalf of a job.
func (*DB) InsertEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) error {
	w, err := newEntityWrite(t, by, columns, entities)
	if err != nil {
		return err
	}
	sql := w.insert(t)
	if t.Declared != nil {
		sql = w.recordedInsert(t)
	}
	if err := write(ctx, tx, t, sql, w.args, len(entities)); err != nil {
		return fmt.Errorf("insert %d of %s: %w", len(entities), t.Name, err)
	}
	return nil
}

// entityWrite is a statement that writes values of entities, which v contains as texts.
type entityWrite struct {
	args          []any // the job, the rows, the ids, then the columns
	arrays, names []string
	columns       []columnValue
}

type columnValue struct{ name, value string }

// newEntityWrite omits columns that the table no longer has, and derived ones.
func newEntityWrite(t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) (*entityWrite, error) {
	ids, rows := make([]string, len(entities)), make([]int64, len(entities))
	for i := range entities {
		ids[i], rows[i] = entities[i].ID, entities[i].Row
	}
	v, err := t.IDArrays(2, ids)
	if err != nil {
		return nil, err
	}
	w := &entityWrite{args: append([]any{by, rows}, v.Args...), arrays: append([]string{"$2::bigint[]"}, v.Arrays...), names: append([]string{"_lb_row"}, v.Names...)}
	for place, name := range columns {
		c := t.Column(name)
		if c == nil || c.Generated {
			continue
		}
		values := make([]*string, len(entities))
		for i := range entities {
			values[i] = entities[i].Values[place]
		}
		alias := fmt.Sprintf("c%d", len(w.columns))
		w.columns = append(w.columns, columnValue{name, fmt.Sprintf("v.%s::%s", alias, c.Type)})
		w.args = append(w.args, values)
		w.arrays, w.names = append(w.arrays, fmt.Sprintf("$%d::text[]", len(w.args))), append(w.names, alias)
	}
	return w, nil
}

// insert returns the SQL that inserts entities.
func (w *entityWrite) insert(t *entitytable.Table) string {
	var names, values []string
	if column, value := t.Tenant(); column != "" {
		names, values = append(names, entitytable.Quote(column)), append(values, value)
	}
	for _, source := range sourceAssignments(t) {
		name, value, _ := strings.Cut(source, " = ")
		names, values = append(names, name), append(values, value)
	}
	for _, c := range w.columns {
		names, values = append(names, entitytable.Quote(c.name)), append(values, c.value)
	}
	return fmt.Sprintf(`
		INSERT INTO %s AS e (%s) OVERRIDING SYSTEM VALUE
		SELECT %s
		FROM %s
		WHERE $1::bigint IS NOT NULL`, t.SQL(), strings.Join(names, ", "), strings.Join(values, ", "), w.from())
}

// recordedInsert is insert for a declared table. The rows of the file are found by the ids.
func (w *entityWrite) recordedInsert(t *entitytable.Table) string {
	inserted := fmt.Sprintf(`
		SELECT v._lb_row AS line, i.*
		FROM (SELECT * FROM inserted) AS i
		LEFT JOIN (SELECT v._lb_row, %s AS id FROM (SELECT %s FROM %s) AS v) AS v USING (id)`, t.IDText("v"), w.idColumns(t), w.from())
	return strings.Replace(recording(t, "INSERT", inserted, &w.args), "WITH written", "WITH inserted AS ("+w.insert(t)+" RETURNING "+t.RecordedInsert()+"), written", 1)
}

// idColumns returns the SQL of the row and the identity's columns of v under their names in the table.
func (w *entityWrite) idColumns(t *entitytable.Table) string {
	columns := []string{"v._lb_row"}
	for i := range t.Identity {
		columns = append(columns, "v."+w.names[i+1]+" AS "+entitytable.Quote(t.Identity[i].Name))
	}
	return strings.Join(columns, ", ")
}

// from returns the SQL of the values, with ids of the column's type: under row
// level security, Postgres does not use an index for a comparison with a cast that is not leakproof,
// such as from text to uuid. It hides the number of values from the planner, which would otherwise
// read a whole table instead of looking up each of a few thousand.
func (w *entityWrite) from() string {
	arrays := make([]string, len(w.arrays))
	for i, array := range w.arrays {
		arrays[i] = "(SELECT " + array + ")"
	}
	return fmt.Sprintf("unnest(%s) AS v(%s)", strings.Join(arrays, ", "), strings.Join(w.names, ", "))
}
