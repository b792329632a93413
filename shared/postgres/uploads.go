package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// UploadID returns the upload in parts that a job's file comes by; "" where none has begun.
func (db *DB) UploadID(ctx context.Context, tx pgx.Tx, j *job.Job) (id string, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce(upload_id, '') FROM import_jobs WHERE id = $1`, j.Key).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("upload of job %s: %w", j.ID, err)
	}
	return id, nil
}

// SaveUploadID makes an upload that of a job in the place of old ("" for none), and returns the
// one that it is: another request may have come first.
func (db *DB) SaveUploadID(ctx context.Context, tx pgx.Tx, j *job.Job, old, begun string) (id string, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE import_jobs
		SET upload_id = CASE WHEN coalesce(upload_id, '') = $2 THEN $3 ELSE upload_id END
		WHERE id = $1
		RETURNING upload_id`, j.Key, old, begun).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("keep upload of job %s: %w", j.ID, err)
	}
	return id, nil
}
