package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// UploadID returns the id of the multipart upload of a job's file, or "" if none has begun.
func (db *DB) UploadID(ctx context.Context, tx pgx.Tx, j *job.Job) (id string, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce(upload_id, '') FROM import_jobs WHERE id = $1`, j.Key).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("load upload of job %s: %w", j.ID, err)
	}
	return id, nil
}

// SaveUploadID replaces a job's upload id old ("" for none) with begun. It returns the stored
// id, which differs from begun if another request was first.
func (db *DB) SaveUploadID(ctx context.Context, tx pgx.Tx, j *job.Job, old, begun string) (id string, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE import_jobs
		SET upload_id = CASE WHEN coalesce(upload_id, '') = $2 THEN $3 ELSE upload_id END
		WHERE id = $1
		RETURNING upload_id`, j.Key, old, begun).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("save upload of job %s: %w", j.ID, err)
	}
	return id, nil
}
