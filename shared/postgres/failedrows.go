package postgres

import (
	"context"

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

// FailedRows returns the errors of a range of rows in error, in file order, up to limit rows. Rows
// whose errors are not stored have the error ERRORS_NOT_STORED.
func (db *DB) FailedRows(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, limit int) ([]job.RowResult, error) {
	numbers, err := db.failedRowNumbers(ctx, tx, key, first, last, limit)
	if err != nil || len(numbers) == 0 {
		return nil, err
	}
	first, last = numbers[0], numbers[len(numbers)-1]
	found, err := db.results(ctx, tx, `WHERE job_id = $1 AND row_number BETWEEN $2 AND $3 AND outcome = 'E'`, key, first, last)
	if err != nil {
		return nil, err
	}
	described := make(map[int64]job.RowResult, len(found))
	for _, r := range found {
		described[r.Row] = r
	}
	failed := make([]job.RowResult, len(numbers))
	for i, row := range numbers {
		r, known := described[row]
		if !known {
			r = job.RowResult{Row: row, Outcome: rowwrite.Errored, Errors: notDescribed()}
		}
		failed[i] = r
	}
	return failed, nil
}
