package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
)

// dataExceptionClass is the class of errors for a text that is no value of the column's type.
const dataExceptionClass = "22"

// Entity returns the entity of a table with that id, or nil. The table must have source
// columns.
func (db *DB) Entity(ctx context.Context, tx pgx.Tx, table, id string) (*entitytable.Entity, error) {
	e := &entitytable.Entity{Table: table}
	err := tx.QueryRow(ctx, `
		SELECT array_agg(attname ORDER BY attnum)
		FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
		  AND attname <> ALL ('{organisation_id,source_job,source_row,source_cells,source_before}')`, table).Scan(&e.Columns)
	if err != nil {
		return nil, fmt.Errorf("load columns of %s: %w", table, err)
	}
	names := make([]string, len(e.Columns))
	for i, name := range e.Columns {
		names[i] = pgx.Identifier{name}.Sanitize()
	}
	var record string
	err = tx.QueryRow(ctx, fmt.Sprintf(`SELECT id::text, coalesce(source_job, 0), coalesce(source_row, 0),
			ARRAY(SELECT coalesce((c #>> '{}')::bigint, 0) FROM jsonb_array_elements(nullif(to_jsonb(e) -> 'source_cells', 'null')) WITH ORDINALITY AS cells (c, n) ORDER BY n), ROW(%s)::text
		FROM %s AS e
		WHERE id = $1`,
		strings.Join(names, ", "), pgx.Identifier{table}.Sanitize()), id).Scan(&e.ID, &e.SourceJob, &e.SourceRow, &e.SourceCells, &record)
	if isNoEntity(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load entity of %s: %w", table, err)
	}
	if e.Values, err = changeset.ParseRecord(record, len(e.Columns)); err != nil {
		return nil, fmt.Errorf("load entity of %s: %w", table, err)
	}
	return e, nil
}

// EntityHash returns the hash that a change set contains for a created entity with those
// values; ok is false if the table no longer has one of the columns.
func (db *DB) EntityHash(ctx context.Context, tx pgx.Tx, e *entitytable.Entity, columns []string, values map[string]*string) (hash int64, ok bool, err error) {
	t := e.Declared
	if t == nil {
		if t, err = db.EntityTable(ctx, tx, e.Table); err != nil || t == nil {
			return 0, false, err
		}
	}
	parts, args := make([]string, len(columns)), make([]any, len(columns))
	for i, name := range columns {
		column := t.Column(name)
		if column == nil {
			return 0, false, nil
		}
		parts[i], args[i] = fmt.Sprintf("$%d::text::%s", i+1, column.Type), values[name]
		if column.Unhashable {
			parts[i] += "::text"
		}
	}
	if err = tx.QueryRow(ctx, `SELECT hash_record_extended(ROW(`+strings.Join(parts, ", ")+`), 0)`, args...).Scan(&hash); err != nil {
		return 0, false, fmt.Errorf("hash entity of %s: %w", e.Table, err)
	}
	return hash, true, nil
}

// DeclaredEntity is Entity for a declared table.
func (db *DB) DeclaredEntity(ctx context.Context, tx pgx.Tx, t *entitytable.Table, id string) (*entitytable.Entity, error) {
	v, err := t.IDArrays(0, []string{id})
	if err != nil {
		return nil, nil // no id of this table
	}
	e := &entitytable.Entity{Table: t.Name, Declared: t}
	for i := range t.Columns {
		e.Columns = append(e.Columns, t.Columns[i].Name)
	}
	var record string
	err = tx.QueryRow(ctx, fmt.Sprintf(`
		SELECT %s, %s::text
		FROM %s AS e
		WHERE %s AND EXISTS (SELECT FROM %s WHERE %s)`,
		t.IDText("e"), recordSQL(e.Columns), t.SQL(), t.Within("e"), fromIDs(v), t.HasID("e", "v")), v.Args...).Scan(&e.ID, &record)
	if isNoEntity(err) {
		return nil, nil
	}
	if err == nil {
		e.Values, err = changeset.ParseRecord(record, len(e.Columns))
	}
	if err != nil {
		return nil, fmt.Errorf("load entity of %s: %w", t.Name, err)
	}
	return e, nil
}

// isNoEntity reports whether an error means that nothing has the id.
func isNoEntity(err error) bool {
	var refused *pgconn.PgError
	return errors.Is(err, pgx.ErrNoRows) || errors.As(err, &refused) && strings.HasPrefix(refused.Code, dataExceptionClass)
}
