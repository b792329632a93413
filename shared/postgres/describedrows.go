package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// Limits of the rows whose errors are stored. A row in error takes some hundred bytes, from a line
// that may have two. The ledger has the outcomes of all rows, in a byte each.
const (
	// freeDescribedRows is the number of rows of an import that are always described.
	freeDescribedRows = 1000
	// maxDescribedRows is the number of described rows of all imports that an organisation keeps.
	maxDescribedRows = 2_000_000
	// maxErrorsOfRow is the maximum number of stored errors of a row.
	maxErrorsOfRow = 20
)

// roomForResults is the number of rows of job $1 in organisation $2 that can still be described:
// up to $6 of the job, and, above $7, of all jobs of the organisation up to $8. Chunks that are
// written at the same time do not see each other, so there can be a few more.
const roomForResults = `(
	SELECT CASE
		WHEN this.error_count + this.skipped_count >= $6::bigint THEN 0
		WHEN this.error_count + this.skipped_count < $7::bigint THEN $6
		ELSE least($6 - this.error_count - this.skipped_count, $8::bigint - (
			SELECT coalesce(sum(least(error_count + skipped_count, $6)), 0)::bigint
			FROM import_jobs
			WHERE organisation_id = $2
		))
	END
	FROM import_jobs AS this
	WHERE this.id = $1
)`

// boundErrors returns the errors of a row that are stored; the last one counts the others.
func boundErrors(errs []rowwrite.Error) []rowwrite.Error {
	if len(errs) <= maxErrorsOfRow {
		return errs
	}
	rest := rowwrite.Error{Code: problem.ErrorsNotStored, Message: fmt.Sprintf("%d more errors of this row are not listed. Correct these first.", len(errs)-maxErrorsOfRow+1)}
	return append(slices.Clone(errs[:maxErrorsOfRow-1]), rest)
}

// notDescribed are the errors of a row whose errors are not stored.
func notDescribed() []rowwrite.Error {
	return []rowwrite.Error{{Code: problem.ErrorsNotStored, Message: "This row has errors that are not listed, because too many rows have errors. Correct the listed rows, and import the others again."}}
}

// failedRowsRead is the number of ledger entries with rows in error that are read at a time.
const failedRowsRead = 4

// failedRowNumbers returns the numbers of a range of rows in error, in file order, up to limit.
func (*DB) failedRowNumbers(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, limit int) (numbers []int64, err error) {
	for len(numbers) < limit {
		rows, err := tx.Query(ctx, `
			SELECT first_row, line_count, outcomes
			FROM import_chunks
			WHERE job_id = $1 AND first_row + line_count > $2 AND first_row <= $3 AND position('\x45'::bytea IN outcomes) > 0
			ORDER BY chunk_index
			LIMIT $4`, key, first, last, failedRowsRead)
		if err != nil {
			return nil, fmt.Errorf("load rows in error of job %d: %w", key, err)
		}
		var start, lines int64
		var outcomes []byte
		entries := 0
		next := first
		_, err = pgx.ForEachRow(rows, []any{&start, &lines, &outcomes}, func() error {
			entries++
			for i, o := range outcomes {
				row := start + int64(i)
				if rowwrite.Outcome(o) == rowwrite.Errored && row >= first && row <= last && len(numbers) < limit {
					numbers = append(numbers, row)
				}
			}
			next = start + lines
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("load rows in error of job %d: %w", key, err)
		}
		if entries < failedRowsRead {
			return numbers, nil
		}
		first = next
	}
	return numbers, nil
}

// addUndescribed adds rows in error whose errors are not stored to the other results of a range,
// which is that of one ledger entry.
func (db *DB) addUndescribed(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, found []job.RowResult) ([]job.RowResult, error) {
	failed, err := db.FailedRows(ctx, tx, key, first, last, maxFailedRows)
	if err != nil {
		return nil, err
	}
	known := make(map[int64]bool, len(found))
	for _, r := range found {
		known[r.Row] = true
	}
	for _, r := range failed {
		if !known[r.Row] {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b job.RowResult) int { return cmp.Compare(a.Row, b.Row) })
	return found, nil
}

// maxFailedRows is above the number of lines of any ledger entry.
const maxFailedRows = 1_000_000
