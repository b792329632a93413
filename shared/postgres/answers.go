package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// AnswerColumns keeps what was said about columns of a job. Two may have
// swapped their fields: so all let go of theirs before any takes one.
func (db *DB) AnswerColumns(ctx context.Context, tx pgx.Tx, jobID int64, mappings []job.MappedColumn) error {
	if len(mappings) == 0 {
		return nil
	}
	ids := make([]int64, len(mappings))
	for i, m := range mappings {
		ids[i] = m.ID
	}
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE import_column_mappings SET target_field = NULL WHERE job_id = $1 AND id = ANY ($2)`, jobID, ids)
	for _, m := range mappings {
		batch.Queue(`
			UPDATE import_column_mappings
			SET target_field = nullif($3, ''), status = $4, confidence = $5, confirmed = $6
			WHERE job_id = $1 AND id = $2`, jobID, m.ID, m.TargetField, m.Status, m.Confidence, m.Confirmed)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("answer %d column mappings of job %d: %w", len(mappings), jobID, err)
	}
	return nil
}

// AnswerCells keeps what was said about values of a job's file.
func (db *DB) AnswerCells(ctx context.Context, tx pgx.Tx, jobID int64, mappings []job.MappedCell) error {
	if len(mappings) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	for _, m := range mappings {
		batch.Queue(`
			UPDATE import_cell_mappings
			SET target_entity_id = nullif($3, ''), status = $4, confirmed = $5
			WHERE job_id = $1 AND id = $2`, jobID, m.ID, m.EntityID, m.Status, m.Confirmed)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("answer %d cell mappings of job %d: %w", len(mappings), jobID, err)
	}
	return nil
}
