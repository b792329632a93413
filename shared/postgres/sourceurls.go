package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// SaveSourceURL stores the URL from which a job's file is fetched.
func (db *DB) SaveSourceURL(ctx context.Context, tx pgx.Tx, j *job.Job, url string) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO import_sources (job_id, organisation_id, url)
		VALUES ($1, $2, $3)
		ON CONFLICT (job_id) DO NOTHING`, j.Key, j.OrganisationID, url)
	if err != nil {
		return fmt.Errorf("source URL of job %s: %w", j.ID, err)
	}
	return nil
}

// SourceURL returns the URL from which a job's file is fetched, or NOT_FOUND.
func (db *DB) SourceURL(ctx context.Context, tx pgx.Tx, j *job.Job) (url string, err error) {
	err = tx.QueryRow(ctx, `SELECT url FROM import_sources WHERE job_id = $1`, j.Key).Scan(&url)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", problem.New(problem.NotFound, "The file of this import is not fetched from a URL.")
	}
	if err != nil {
		return "", fmt.Errorf("source URL of job %s: %w", j.ID, err)
	}
	return url, nil
}

// SaveFileSize saves the size of a job's file before it is stored, and reports whether the
// job is still waiting for the file.
func (db *DB) SaveFileSize(ctx context.Context, tx pgx.Tx, j *job.Job, size int64) (bool, error) {
	return anyAffected(tx.Exec(ctx, `
		UPDATE import_jobs
		SET size_bytes = $2, updated_at = now()
		WHERE id = $1 AND status = 'UPLOADED' AND uploaded_at IS NULL`, j.Key, size))
}
