package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// RowAttempts returns the results of a job's retries for a range of its rows, the latest retry
// last. It ignores discarded plans.
func (db *DB) RowAttempts(ctx context.Context, tx pgx.Tx, of job.ID, first, last int64) ([]job.RowAttempt, error) {
	rows, err := tx.Query(ctx, `
		SELECT j.uuid::text, j.status, c.first_row, c.outcomes
		FROM import_jobs j
		JOIN import_chunks c ON c.job_id = j.id
		WHERE j.retry_of = $1 AND j.rerun AND c.outcomes IS NOT NULL AND c.first_row <= $3 AND c.first_row + c.line_count > $2
			AND NOT (j.plan AND j.applied_at IS NULL AND j.status IN ('CANCELLED', 'FAILED'))
		ORDER BY j.id, c.first_row`, of, first, last)
	if err != nil {
		return nil, fmt.Errorf("load row attempts of job %s: %w", of, err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a job.RowAttempt, err error) {
		return a, row.Scan(&a.JobID, &a.Status, &a.FirstRow, &a.Outcomes)
	})
	if err != nil {
		return nil, fmt.Errorf("load row attempts of job %s: %w", of, err)
	}
	return found, nil
}

// BeginRetry turns a new job into a retry of another one. It copies the dialect, the mappings,
// the given ledger entries, in which the rows to retry are Pending, and the corrections of
// those rows, which count as applied. If the file is processed as a whole, its ledger is
// completed after reading.
func (db *DB) BeginRetry(ctx context.Context, tx pgx.Tx, j, of *job.Job, chunks []job.Chunk) error {
	if err := db.AddChunks(ctx, tx, j, chunks); err != nil {
		return err
	}
	var total int64
	for i := range chunks {
		chunks[i].JobKey = j.Key
		if err := db.SaveOutcomes(ctx, tx, &chunks[i]); err != nil {
			return err
		}
		if err := db.copyCorrections(ctx, tx, j, of, &chunks[i]); err != nil {
			return err
		}
		total += int64(strings.Count(string(chunks[i].Outcomes), string(rowwrite.Pending)))
	}
	for _, table := range []string{"import_column_mappings", "import_cell_mappings"} {
		if err := db.copyJobRows(ctx, tx, table, of.Key, j.Key); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `
		UPDATE import_jobs
		SET rerun = true, dialect = $2, object_etag = $3, sha256 = $4, total_rows = $5,
		    file_lines = $5, chunk_total = $6, split_complete = NOT whole_file, updated_at = now()
		WHERE id = $1`, j.Key, []byte(of.Dialect), of.ObjectETag, of.SHA256, total, len(chunks))
	if err != nil {
		return fmt.Errorf("begin retry %s: %w", j.ID, err)
	}
	return nil
}

// copyCorrections copies the corrections of the rows that a retry contains.
func (*DB) copyCorrections(ctx context.Context, tx pgx.Tx, j, of *job.Job, c *job.Chunk) error {
	_, err := tx.Exec(ctx, `
		WITH taken AS (
			UPDATE import_row_corrections
			SET taken = true
			WHERE job_id = $1 AND row_number BETWEEN $4 AND $5 AND get_byte($6::bytea, (row_number - $4)::int) = $7
			RETURNING row_number, field, value
		)
		INSERT INTO import_row_corrections (job_id, organisation_id, row_number, field, value, taken)
		SELECT $2, $3, row_number, field, value, true
		FROM taken`, of.Key, j.Key, j.OrganisationID, c.FirstRow, c.FirstRow+int64(c.Lines)-1, c.Outcomes, int(rowwrite.Pending))
	if err != nil {
		return fmt.Errorf("copy corrections of retry %s: %w", j.ID, err)
	}
	return nil
}

// copyJobRows copies a table's rows of one job to another, with all columns. The ids of mappings are
// unique within a job.
func (*DB) copyJobRows(ctx context.Context, tx pgx.Tx, table string, from, to job.Key) error {
	var columns string
	err := tx.QueryRow(ctx, `
		SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
		FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'job_id'`, table).Scan(&columns)
	if err == nil {
		_, err = tx.Exec(ctx, `INSERT INTO `+table+` (job_id, `+columns+`) SELECT $2, `+columns+` FROM `+table+` WHERE job_id = $1`, from, to)
	}
	if err != nil {
		return fmt.Errorf("copy %s of job %d: %w", table, from, err)
	}
	return nil
}
