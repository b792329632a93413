package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/storable"
)

// RememberColumns keeps what a person decided about headers for later files of
// the job's type. A newer decision replaces an older one about the same header.
func (db *DB) RememberColumns(ctx context.Context, tx pgx.Tx, j *job.Job, decisions []job.ColumnDecision) error {
	keys, headers, targets := make([]string, len(decisions)), make([]string, len(decisions)), make([]string, len(decisions))
	for i, d := range decisions {
		keys[i], headers[i], targets[i] = d.Key, storable.Clean(d.Header), d.TargetField
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO import_column_decisions (organisation_id, import_type, header_key, header, target_field, decided_in)
		SELECT $1, $2, v.key, v.header, nullif(v.target, ''), nullif($6, '')::uuid
		FROM unnest($3::text[], $4::text[], $5::text[]) AS v(key, header, target)
		ORDER BY v.key
		ON CONFLICT (organisation_id, import_type, md5(header_key)) DO UPDATE
		SET header = excluded.header, target_field = excluded.target_field, decided_at = now(), decided_in = excluded.decided_in`,
		j.OrganisationID, j.ImportType, keys, headers, targets, j.ID)
	if err != nil {
		return fmt.Errorf("remember %d columns of job %s: %w", len(decisions), j.ID, err)
	}
	return nil
}

// RememberCells is RememberColumns for values.
func (db *DB) RememberCells(ctx context.Context, tx pgx.Tx, j *job.Job, decisions []job.CellDecision) error {
	n := len(decisions)
	fields, keys, values, entities := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	create := make([]bool, n)
	for i, d := range decisions {
		fields[i], keys[i], values[i], entities[i], create[i] = d.TargetField, d.Key, storable.Clean(d.Value), d.EntityID, d.Create
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO import_cell_decisions (organisation_id, import_type, target_field, value_key, source_value, target_entity_id, create_new, decided_in)
		SELECT $1, $2, v.field, v.key, v.value, nullif(v.entity, ''), v.creates, nullif($8, '')::uuid
		FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bool[]) AS v(field, key, value, entity, creates)
		ORDER BY v.field, v.key
		ON CONFLICT (organisation_id, import_type, target_field, md5(value_key)) DO UPDATE
		SET source_value = excluded.source_value, target_entity_id = excluded.target_entity_id, create_new = excluded.create_new,
		    decided_at = now(), decided_in = excluded.decided_in`,
		j.OrganisationID, j.ImportType, fields, keys, values, entities, create, j.ID)
	if err != nil {
		return fmt.Errorf("remember %d values of job %s: %w", n, j.ID, err)
	}
	return nil
}

// RecallColumns returns what was decided about headers with these keys, the
// newest decision first.
func (db *DB) RecallColumns(ctx context.Context, tx pgx.Tx, importType string, keys []string) ([]job.ColumnDecision, error) {
	return columnDecisions(ctx, tx, `
		WHERE import_type = $1
		  AND md5(header_key) = ANY (ARRAY (SELECT md5(k) FROM unnest($2::text[]) AS k)) AND header_key = ANY ($2)
		ORDER BY decided_at DESC, id DESC`, importType, keys)
}

// RecallCells returns what was decided about values of a field with these keys.
func (db *DB) RecallCells(ctx context.Context, tx pgx.Tx, importType, field string, keys []string) ([]job.CellDecision, error) {
	return cellDecisions(ctx, tx, `
		WHERE import_type = $1 AND target_field = $2
		  AND md5(value_key) = ANY (ARRAY (SELECT md5(k) FROM unnest($3::text[]) AS k)) AND value_key = ANY ($3)`, importType, field, keys)
}

// RecallsCells reports whether anything is remembered about values of an import
// type.
func (db *DB) RecallsCells(ctx context.Context, tx pgx.Tx, importType string) (bool, error) {
	var known bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM import_cell_decisions WHERE import_type = $1)`, importType).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("decisions about values: %w", err)
	}
	return known, nil
}

// Page is a part of a list.
type Page struct{ Offset, Limit int64 }

// ColumnDecisions lists what is remembered about headers, the newest first, and
// how much there is.
func (db *DB) ColumnDecisions(ctx context.Context, tx pgx.Tx, importType string, p Page) ([]job.ColumnDecision, int64, error) {
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM import_column_decisions WHERE import_type = $1`, importType).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count decisions about columns: %w", err)
	}
	found, err := columnDecisions(ctx, tx, `WHERE import_type = $1 ORDER BY decided_at DESC, id DESC OFFSET $2 LIMIT $3`, importType, p.Offset, p.Limit)
	return found, total, err
}

// CellDecisions is ColumnDecisions for values.
func (db *DB) CellDecisions(ctx context.Context, tx pgx.Tx, importType string, p Page) ([]job.CellDecision, int64, error) {
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM import_cell_decisions WHERE import_type = $1`, importType).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count decisions about values: %w", err)
	}
	found, err := cellDecisions(ctx, tx, `WHERE import_type = $1 ORDER BY decided_at DESC, id DESC OFFSET $2 LIMIT $3`, importType, p.Offset, p.Limit)
	return found, total, err
}

// ForgetColumn deletes what is remembered about a header; false if it is not
// remembered.
func (db *DB) ForgetColumn(ctx context.Context, tx pgx.Tx, importType string, id int64) (bool, error) {
	tag, err := tx.Exec(ctx, `DELETE FROM import_column_decisions WHERE import_type = $1 AND id = $2`, importType, id)
	if err != nil {
		return false, fmt.Errorf("forget column decision %d: %w", id, err)
	}
	return tag.RowsAffected() > 0, nil
}

// ForgetCell is ForgetColumn for a value.
func (db *DB) ForgetCell(ctx context.Context, tx pgx.Tx, importType string, id int64) (bool, error) {
	tag, err := tx.Exec(ctx, `DELETE FROM import_cell_decisions WHERE import_type = $1 AND id = $2`, importType, id)
	if err != nil {
		return false, fmt.Errorf("forget cell decision %d: %w", id, err)
	}
	return tag.RowsAffected() > 0, nil
}

func columnDecisions(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]job.ColumnDecision, error) {
	rows, err := tx.Query(ctx, `
		SELECT id, header_key, header, coalesce(target_field, ''), decided_at, coalesce(decided_in::text, '')
		FROM import_column_decisions `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("decisions about columns: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[job.ColumnDecision])
	if err != nil {
		return nil, fmt.Errorf("decisions about columns: %w", err)
	}
	return found, nil
}

func cellDecisions(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]job.CellDecision, error) {
	rows, err := tx.Query(ctx, `
		SELECT id, target_field, value_key, source_value, coalesce(target_entity_id, ''), create_new, decided_at, coalesce(decided_in::text, '')
		FROM import_cell_decisions `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("decisions about values: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[job.CellDecision])
	if err != nil {
		return nil, fmt.Errorf("decisions about values: %w", err)
	}
	return found, nil
}
