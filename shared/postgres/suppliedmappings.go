package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// AddSuppliedMapping saves the mapping document of a new job, unless the job has one already
// because the request was repeated.
func (db *DB) AddSuppliedMapping(ctx context.Context, tx pgx.Tx, j *job.Job, document json.RawMessage) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO import_given_mappings (job_id, organisation_id, document)
		VALUES ($1, $2, $3)
		ON CONFLICT (job_id) DO NOTHING`, j.Key, j.OrganisationID, []byte(document))
	if err != nil {
		return fmt.Errorf("save mapping supplied with job %s: %w", j.ID, err)
	}
	return nil
}

// SaveSuppliedMapping saves the mapping document that a user supplies for a job and replaces
// an earlier one.
func (db *DB) SaveSuppliedMapping(ctx context.Context, tx pgx.Tx, j *job.Job, document json.RawMessage) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO import_given_mappings (job_id, organisation_id, document)
		VALUES ($1, $2, $3)
		ON CONFLICT (job_id) DO UPDATE SET document = excluded.document`, j.Key, j.OrganisationID, []byte(document))
	if err != nil {
		return fmt.Errorf("save mapping supplied for job %s: %w", j.ID, err)
	}
	return nil
}

// SuppliedMapping returns the mapping document supplied for a job, or nil.
func (db *DB) SuppliedMapping(ctx context.Context, tx pgx.Tx, key job.Key) (json.RawMessage, error) {
	document, err := loadDocument(ctx, tx, `SELECT document FROM import_given_mappings WHERE job_id = $1`, key)
	if err != nil {
		return nil, fmt.Errorf("load mapping supplied for job %d: %w", key, err)
	}
	return document, nil
}

// loadDocument returns a job's document from a related table, or nil.
func loadDocument(ctx context.Context, tx pgx.Tx, sql string, key job.Key) (document json.RawMessage, err error) {
	if err = tx.QueryRow(ctx, sql, key).Scan(&document); errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return document, err
}
