package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// SaveColumnDecisions saves the decisions about columns of a job. Two columns may have
// swapped their fields, so all fields are cleared before any is set.
func (db *DB) SaveColumnDecisions(ctx context.Context, tx pgx.Tx, key job.Key, mappings []job.MappedColumn) error {
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
				more_columns = $9, separator = $10, constant = $11, transforms = $12, matched_by = $13
			WHERE job_id = $1 AND id = $2`, key, m.ID, m.TargetField, m.Status, m.Confidence, m.Confirmed, m.Decided, m.Locale,
			orEmptyList(m.ExtraColumns), m.Separator, m.Constant, orEmptyList(m.Transforms), m.MatchedBy)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("save decisions of %d column mappings of job %d: %w", len(mappings), key, err)
	}
	return nil
}

// SaveColumnsDecidedBy saves who last decided about the columns of a job, "" if unknown, and
// records that person as a contributor: see AddContributor.
func (db *DB) SaveColumnsDecidedBy(ctx context.Context, tx pgx.Tx, key job.Key, by string) error {
	if _, err := tx.Exec(ctx, `UPDATE import_jobs SET columns_said_by = nullif($2, '') WHERE id = $1`, key, by); err != nil {
		return fmt.Errorf("save author of column decisions of job %d: %w", key, err)
	}
	return db.AddContributor(ctx, tx, key, by)
}

// ColumnsDecidedBy returns who last decided about the columns of a job, or "".
func (*DB) ColumnsDecidedBy(ctx context.Context, tx pgx.Tx, key job.Key) (by string, err error) {
	if err = tx.QueryRow(ctx, `SELECT coalesce(columns_said_by, '') FROM import_jobs WHERE id = $1`, key).Scan(&by); err != nil {
		return "", fmt.Errorf("load author of column decisions of job %d: %w", key, err)
	}
	return by, nil
}
