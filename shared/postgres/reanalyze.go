package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/pgtext"
)

// Reanalyze saves the options with which the job's file is to be analysed again, and the
// previous ones. The matches of its values are deleted, except for a person's decisions.
func (db *DB) Reanalyze(ctx context.Context, tx pgx.Tx, key job.Key, options json.RawMessage) error {
	batch := &pgx.Batch{}
	batch.Queue(`
		UPDATE import_jobs
		SET options_before = options, options = $2, rereads = rereads + 1, bytes_read = 0
		WHERE id = $1`, key, []byte(options))
	batch.Queue(`DELETE FROM import_cell_mappings WHERE job_id = $1 AND NOT decided`, key)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("reanalyze job %d: %w", key, err)
	}
	return nil
}

// RevertOptions restores the options that the job had before a reanalysis, which failed for
// the reason in the warning.
func (db *DB) RevertOptions(ctx context.Context, tx pgx.Tx, key job.Key, warning string) error {
	_, err := tx.Exec(ctx, `
		UPDATE import_jobs
		SET options = options_before, options_before = NULL
		WHERE id = $1 AND options_before IS NOT NULL`, key)
	if err != nil {
		return fmt.Errorf("revert reading options of job %d: %w", key, err)
	}
	return db.AddWarnings(ctx, tx, key, []string{pgtext.Sanitize(warning)})
}

// SaveBytesRead saves how much of the job's file the current step has read. It does not count
// as progress for reconcile.
func (db *DB) SaveBytesRead(ctx context.Context, tx pgx.Tx, key job.Key, n int64) error {
	if _, err := tx.Exec(ctx, `UPDATE import_jobs SET bytes_read = $2 WHERE id = $1`, key, n); err != nil {
		return fmt.Errorf("save bytes read of job %d: %w", key, err)
	}
	return nil
}

// SaveLastRows saves the last rows of the job's file as JSON.
func (db *DB) SaveLastRows(ctx context.Context, tx pgx.Tx, j *job.Job, rows json.RawMessage) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO import_last_rows (job_id, organisation_id, last_rows)
		VALUES ($1, $2, $3)
		ON CONFLICT (job_id) DO UPDATE SET last_rows = excluded.last_rows`, j.Key, j.OrganisationID, pgtext.SanitizeJSON(rows))
	if err != nil {
		return fmt.Errorf("save last rows of job %s: %w", j.ID, err)
	}
	return nil
}

// LastRows returns the last rows of the job's file, or nil if unknown.
func (db *DB) LastRows(ctx context.Context, tx pgx.Tx, key job.Key) (json.RawMessage, error) {
	rows, err := loadDocument(ctx, tx, `SELECT last_rows FROM import_last_rows WHERE job_id = $1`, key)
	if err != nil {
		return nil, fmt.Errorf("load last rows of job %d: %w", key, err)
	}
	return rows, nil
}
