package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// NextFailedChunk returns the first ledger entry after an index that contains rows in error;
// nil if there is none. Start with -1.
func (db *DB) NextFailedChunk(ctx context.Context, tx pgx.Tx, key job.Key, after int) (*job.Chunk, error) {
	c, err := db.chunk(ctx, tx, `WHERE job_id = $1 AND chunk_index > $2 AND position('\x45'::bytea IN outcomes) > 0 ORDER BY chunk_index LIMIT 1`, key, after)
	if problem.CodeOf(err) == problem.NotFound {
		return nil, nil
	}
	return c, err
}

// FailedRows returns the errors of a range of rows in error, in file order, up to limit rows.
func (db *DB) FailedRows(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, limit int) ([]job.RowResult, error) {
	rows, err := tx.Query(ctx, `
		SELECT row_number, faults
		FROM import_row_results
		WHERE job_id = $1 AND row_number BETWEEN $2 AND $3 AND outcome = 'E'
		ORDER BY row_number
		LIMIT $4`, key, first, last, limit)
	if err != nil {
		return nil, fmt.Errorf("load failed rows of job %d: %w", key, err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r job.RowResult, err error) {
		r.Outcome = rowwrite.Errored
		return r, row.Scan(&r.Row, &r.Errors)
	})
	if err != nil {
		return nil, fmt.Errorf("load failed rows of job %d: %w", key, err)
	}
	return found, nil
}
