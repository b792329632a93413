package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// RowErrors returns up to limit rows of a job that have row errors, in file order.
func (db *DB) RowErrors(ctx context.Context, tx pgx.Tx, key job.Key, limit int64) ([]job.RowResult, error) {
	rows, err := tx.Query(ctx, `
		SELECT row_number, outcome::text, faults
		FROM import_row_results
		WHERE job_id = $1
		ORDER BY row_number
		LIMIT $2`, key, limit)
	if err != nil {
		return nil, fmt.Errorf("load row errors of job %d: %w", key, err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r job.RowResult, err error) {
		var outcome string
		if err := row.Scan(&r.Row, &outcome, &r.Errors); err != nil {
			return r, err
		}
		r.Outcome = rowwrite.Outcome(outcome[0])
		return r, nil
	})
	if err != nil {
		return nil, fmt.Errorf("load row errors of job %d: %w", key, err)
	}
	return found, nil
}
