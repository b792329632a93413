package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// AddDuplicateRows saves which rows of a planned file share keys. Existing ones are unchanged:
// a splitter that runs again finds the same.
func (*DB) AddDuplicateRows(ctx context.Context, tx pgx.Tx, j *job.Job, repeats []job.DuplicateRow) error {
	n := len(repeats)
	rows, firsts, chunks := make([]int64, n), make([]int64, n), make([]int32, n)
	for i, r := range repeats {
		rows[i], firsts[i], chunks[i] = r.Row, r.First, int32(r.Chunk)
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO import_repeated_rows (job_id, organisation_id, row_number, first_row, chunk_index)
		SELECT $1, $2, v.*
		FROM unnest($3::bigint[], $4::bigint[], $5::int[]) AS v
		ON CONFLICT (job_id, row_number) DO NOTHING`, j.Key, j.OrganisationID, rows, firsts, chunks)
	if err != nil {
		return fmt.Errorf("save %d duplicate rows of job %s: %w", n, j.ID, err)
	}
	return nil
}

// DuplicateRows returns the rows that share keys and are within a range of rows, and those
// that have their first row in it; in file order.
func (*DB) DuplicateRows(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) ([]job.DuplicateRow, error) {
	rows, err := tx.Query(ctx, `
		SELECT row_number, first_row, chunk_index, coalesce(outcome, 0)
		FROM import_repeated_rows
		WHERE job_id = $1 AND (row_number BETWEEN $2 AND $3 OR first_row BETWEEN $2 AND $3)
		ORDER BY row_number`, key, first, last)
	if err != nil {
		return nil, fmt.Errorf("load duplicate rows of job %d: %w", key, err)
	}
	repeats, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r job.DuplicateRow, err error) {
		var outcome int16
		err = row.Scan(&r.Row, &r.First, &r.Chunk, &outcome)
		r.Outcome = rowwrite.Outcome(outcome)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("load duplicate rows of job %d: %w", key, err)
	}
	return repeats, nil
}

// SavePlannedOutcomes saves the planned outcomes of rows that share keys.
func (*DB) SavePlannedOutcomes(ctx context.Context, tx pgx.Tx, key job.Key, decided map[int64]rowwrite.Outcome) error {
	rows, outcomes := make([]int64, 0, len(decided)), make([]int16, 0, len(decided))
	for row, o := range decided {
		rows, outcomes = append(rows, row), append(outcomes, int16(o))
	}
	_, err := tx.Exec(ctx, `
		UPDATE import_repeated_rows AS r
		SET outcome = v.o
		FROM unnest($2::bigint[], $3::smallint[]) AS v(n, o)
		WHERE r.job_id = $1 AND r.row_number = v.n`, key, rows, outcomes)
	if err != nil {
		return fmt.Errorf("save planned outcomes of %d rows of job %d: %w", len(decided), key, err)
	}
	return nil
}
