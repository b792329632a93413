package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/pgtext"
)

// SaveCorrections saves corrections of a job's rows, replacing earlier ones of the same field.
func (db *DB) SaveCorrections(ctx context.Context, tx pgx.Tx, j *job.Job, corrections []job.Correction) error {
	n := len(corrections)
	rows, fields, values := make([]int64, n), make([]string, n), make([]string, n)
	for i, c := range corrections {
		rows[i], fields[i], values[i] = c.Row, c.Field, string(pgtext.SanitizeJSON(c.Value))
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO import_row_corrections (job_id, organisation_id, row_number, field, value)
		SELECT $1, $2, v.n, v.f, v.value::jsonb
		FROM unnest($3::bigint[], $4::text[], $5::text[]) AS v(n, f, value)
		ON CONFLICT (job_id, row_number, field) DO UPDATE SET value = excluded.value, taken = false`,
		j.Key, j.OrganisationID, rows, fields, values)
	if err != nil {
		return fmt.Errorf("save %d corrections of job %s: %w", n, j.ID, err)
	}
	return nil
}

// Corrections returns the corrections of a range of a job's rows, ordered by row and field.
func (db *DB) Corrections(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) ([]job.Correction, error) {
	rows, err := tx.Query(ctx, `
		SELECT row_number, field, value, taken
		FROM import_row_corrections
		WHERE job_id = $1 AND row_number BETWEEN $2 AND $3
		ORDER BY row_number, field`, key, first, last)
	if err != nil {
		return nil, fmt.Errorf("load corrections of job %d: %w", key, err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c job.Correction, err error) {
		var value []byte
		err = row.Scan(&c.Row, &c.Field, &value, &c.Applied)
		c.Value = json.RawMessage(value)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("load corrections of job %d: %w", key, err)
	}
	return found, nil
}

// CountCorrections returns the number of corrected fields in a job's rows.
func (db *DB) CountCorrections(ctx context.Context, tx pgx.Tx, key job.Key) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT count(*) FROM import_row_corrections WHERE job_id = $1`, key).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count corrections of job %d: %w", key, err)
	}
	return n, nil
}

// CountCorrectedRows returns the number of a job's rows that have been corrected since their
// last retry.
func (db *DB) CountCorrectedRows(ctx context.Context, tx pgx.Tx, key job.Key) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT count(DISTINCT row_number) FROM import_row_corrections WHERE job_id = $1 AND NOT taken`, key).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count corrected rows of job %d: %w", key, err)
	}
	return n, nil
}

// DeleteCorrections deletes the corrections of a row, of one field or, with "", of all its
// fields; with 0, those of all rows. It returns the number of deleted corrections.
func (db *DB) DeleteCorrections(ctx context.Context, tx pgx.Tx, key job.Key, row int64, field string) (int64, error) {
	tag, err := tx.Exec(ctx, `
		DELETE FROM import_row_corrections
		WHERE job_id = $1 AND ($2::bigint = 0 OR row_number = $2) AND ($3::text = '' OR field = $3)`, key, row, field)
	if err != nil {
		return 0, fmt.Errorf("delete corrections of job %d: %w", key, err)
	}
	return tag.RowsAffected(), nil
}
