package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// DecideColumns keeps what was said about columns of a job. Two may have
// swapped their fields: so all let go of theirs before any takes one.
func (db *DB) DecideColumns(ctx context.Context, tx pgx.Tx, key job.Key, mappings []job.MappedColumn) error {
	if len(mappings) == 0 {
		return nil
	}
	ids := make([]int64, len(mappings))
	for i, m := range mappings {
		ids[i] = m.ID
	}
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE import_column_mappings SET target_field = NULL WHERE job_id = $1 AND id = ANY ($2)`, key, ids)
	for _, m := range mappings {
		batch.Queue(`
			UPDATE import_column_mappings
			SET target_field = nullif($3, ''), status = $4, confidence = $5, confirmed = $6, decided = $7, locale = $8,
				more_columns = $9, separator = $10, constant = $11, transforms = $12
			WHERE job_id = $1 AND id = $2`, key, m.ID, m.TargetField, m.Status, m.Confidence, m.Confirmed, m.Decided, m.Locale,
			orNone(m.More), m.Separator, m.Constant, orNone(m.Transforms))
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("decide %d column mappings of job %d: %w", len(mappings), key, err)
	}
	return nil
}

// DecideCells keeps what was said about values of a job's file.
func (db *DB) DecideCells(ctx context.Context, tx pgx.Tx, key job.Key, mappings []job.MappedCell) error {
	if len(mappings) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	for _, m := range mappings {
		batch.Queue(`
			UPDATE import_cell_mappings
			SET target_entity_id = nullif($3, ''), status = $4, confirmed = $5, decided = $6, create_new = $7,
				target_value = nullif($8, ''), leave_empty = $9
			WHERE job_id = $1 AND id = $2`, key, m.ID, m.EntityID, m.Status, m.Confirmed, m.Decided, m.Create, m.TargetValue, m.Empty)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("decide %d cell mappings of job %d: %w", len(mappings), key, err)
	}
	return nil
}

// EntitiesCreated stores with values of a job's file which entities have been created
// from them.
func (db *DB) EntitiesCreated(ctx context.Context, tx pgx.Tx, j *job.Job, field string, values []string, ids []int64) error {
	_, err := tx.Exec(ctx, `
		UPDATE import_cell_mappings AS m
		SET target_entity_id = v.id::text, create_new = false
		FROM unnest($3::text[], $4::int8[]) AS v(value, id)
		WHERE m.job_id = $1 AND m.target_field = $2 AND md5(m.source_value) = md5(v.value) AND m.source_value = v.value AND m.create_new`, j.Key, field, values, ids)
	if err != nil {
		return fmt.Errorf("keep %d entities made for job %d: %w", len(ids), j.Key, err)
	}
	return nil
}

// Touch notes that somebody works on a job: it is kept for as long again as jobs
// that wait are.
func (db *DB) Touch(ctx context.Context, tx pgx.Tx, key job.Key) error {
	if _, err := tx.Exec(ctx, `UPDATE import_jobs SET updated_at = now() WHERE id = $1`, key); err != nil {
		return fmt.Errorf("touch job %d: %w", key, err)
	}
	return nil
}
