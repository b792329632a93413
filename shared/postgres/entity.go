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
	var refused *pgconn.PgError
	if errors.Is(err, pgx.ErrNoRows) || errors.As(err, &refused) && strings.HasPrefix(refused.Code, dataExceptionClass) {
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
func (db *DB) EntityHash(ctx context.Context, tx pgx.Tx, table string, columns []string, values map[string]*string) (hash int64, ok bool, err error) {
	t, err := db.EntityTable(ctx, tx, table)
	if err != nil || t == nil {
		return 0, false, err
	}
	parts, args := make([]string, len(columns)), make([]any, len(columns))
	for i, name := range columns {
		column := t.Column(name)
		if column == nil {
			return 0, false, nil
		}
		parts[i], args[i] = fmt.Sprintf("$%d::text::%s", i+1, column.Type), values[name]
	}
	if err = tx.QueryRow(ctx, `SELECT hash_record_extended(ROW(`+strings.Join(parts, ", ")+`), 0)`, args...).Scan(&hash); err != nil {
		return 0, false, fmt.Errorf("hash entity of %s: %w", table, err)
	}
	return hash, true, nil
}
