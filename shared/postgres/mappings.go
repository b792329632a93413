package postgres

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/storable"
)

// SaveColumnMappings replaces what is known of a job's columns.
func (db *DB) SaveColumnMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedColumn) error {
	batch := &pgx.Batch{}
	batch.Queue(`DELETE FROM import_column_mappings WHERE job_id = $1`, j.Key)
	for i := range mappings {
		queueColumn(batch, j, &mappings[i])
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("save %d column mappings of job %s: %w", len(mappings), j.ID, err)
	}
	return nil
}

// queueColumn inserts a column.
func queueColumn(batch *pgx.Batch, j *job.Job, m *job.MappedColumn) {
	batch.Queue(`
		INSERT INTO import_column_mappings (job_id, organisation_id, column_index, source_header, target_field, status, confidence, samples, confirmed, decided, locale,
			more_columns, separator, constant, transforms, matched_by, content)
		VALUES ($1, $2, $3, $4, nullif($5, ''), $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		j.Key, j.OrganisationID, m.ColumnIndex, storable.Clean(m.Header), m.TargetField, m.Status, m.Confidence, cleanAll(m.Samples), m.Confirmed, m.Decided, m.Locale,
		orNone(m.More), m.Separator, m.Constant, orNone(m.Transforms), m.MatchedBy, m.Content)
}

// ReplaceColumns keeps columns in the place of all that a job has: those with an ID are
// changed, the others new. An entry that stands for no column of its own, and is no field
// any more, is gone.
func (db *DB) ReplaceColumns(ctx context.Context, tx pgx.Tx, j *job.Job, columns []job.MappedColumn) error {
	ids := []int64{}
	for _, c := range columns {
		if c.ID != 0 && (c.ColumnIndex >= 0 || c.TargetField != "") {
			ids = append(ids, c.ID)
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM import_column_mappings WHERE job_id = $1 AND id <> ALL ($2)`, j.Key, ids); err != nil {
		return fmt.Errorf("replace column mappings of job %s: %w", j.ID, err)
	}
	var known []job.MappedColumn
	fresh := &pgx.Batch{}
	for i := range columns {
		switch c := &columns[i]; {
		case c.ID != 0:
			known = append(known, *c)
		case c.ColumnIndex >= 0 || c.TargetField != "":
			queueColumn(fresh, j, c)
		}
	}
	if err := db.DecideColumns(ctx, tx, j.Key, known); err != nil {
		return err
	}
	if err := tx.SendBatch(ctx, fresh).Close(); err != nil {
		return fmt.Errorf("replace column mappings of job %s: %w", j.ID, err)
	}
	return nil
}

// ColumnMappings returns what is known of a job's columns, in their order; what stands
// for no column of its own comes last.
func (db *DB) ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error) {
	rows, err := tx.Query(ctx, `
		SELECT id, column_index, source_header, coalesce(target_field, ''), status, confidence, samples, confirmed, decided, locale,
			more_columns, separator, constant, transforms, matched_by, content
		FROM import_column_mappings
		WHERE job_id = $1
		ORDER BY column_index < 0, abs(column_index)`, key)
	if err != nil {
		return nil, fmt.Errorf("column mappings of job %d: %w", key, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m job.MappedColumn, err error) {
		err = row.Scan(&m.ID, &m.ColumnIndex, &m.Header, &m.TargetField, &m.Status, &m.Confidence, &m.Samples, &m.Confirmed, &m.Decided, &m.Locale,
			&m.More, &m.Separator, &m.Constant, &m.Transforms, &m.MatchedBy, &m.Content)
		return m, err
	})
}

// AddCellMappings adds values that are not known of yet; those that are stay as
// they are.
func (db *DB) AddCellMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedCell) error {
	batch := &pgx.Batch{}
	for _, m := range mappings {
		batch.Queue(`
			INSERT INTO import_cell_mappings (job_id, organisation_id, target_field, source_value, status, target_entity_id, row_count, first_row, confirmed, create_new, target_value, leave_empty)
			VALUES ($1, $2, $3, $4, $5, nullif($6, ''), $7, $8, $9, $10, nullif($11, ''), $12)
			ON CONFLICT (job_id, target_field, md5(source_value)) DO NOTHING`,
			j.Key, j.OrganisationID, m.TargetField, storable.Clean(m.Value), m.Status, m.EntityID, m.Rows, m.FirstRow, m.Confirmed, m.Create, m.TargetValue, m.Empty)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("add %d cell mappings of job %s: %w", len(mappings), j.ID, err)
	}
	return nil
}

// CellMappings returns what is known of the values of a job's file.
func (db *DB) CellMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedCell, error) {
	return db.cellMappings(ctx, tx, key, 0, math.MaxInt64)
}

// CellMappingsPage returns what is known of some of the values of a job's file, and
// how many there are.
func (db *DB) CellMappingsPage(ctx context.Context, tx pgx.Tx, key job.Key, offset, limit int64) (cells []job.MappedCell, total int64, err error) {
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM import_cell_mappings WHERE job_id = $1`, key).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count cell mappings of job %d: %w", key, err)
	}
	cells, err = db.cellMappings(ctx, tx, key, offset, limit)
	return cells, total, err
}

func (*DB) cellMappings(ctx context.Context, tx pgx.Tx, key job.Key, offset, limit int64) ([]job.MappedCell, error) {
	rows, err := tx.Query(ctx, `
		SELECT id, target_field, source_value, status, coalesce(target_entity_id, ''), row_count, coalesce(first_row, 0), confirmed, decided, create_new,
			coalesce(target_value, ''), leave_empty
		FROM import_cell_mappings
		WHERE job_id = $1
		ORDER BY target_field, source_value
		OFFSET $2 LIMIT $3`, key, offset, limit)
	if err != nil {
		return nil, fmt.Errorf("cell mappings of job %d: %w", key, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m job.MappedCell, err error) {
		err = row.Scan(&m.ID, &m.TargetField, &m.Value, &m.Status, &m.EntityID, &m.Rows, &m.FirstRow, &m.Confirmed, &m.Decided, &m.Create, &m.TargetValue, &m.Empty)
		return m, err
	})
}

func cleanAll(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = storable.Clean(v)
	}
	return out
}

// orNone is an empty list in the place of nil, which would be NULL.
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
