package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// NextChunk returns the first ledger entry with outcomes that has a row after that number and,
// unless outcome is 0, one with that outcome; nil if there is none.
func (db *DB) NextChunk(ctx context.Context, tx pgx.Tx, key job.Key, after int64, outcome rowwrite.Outcome) (*job.Chunk, error) {
	var byteOf []byte
	if outcome != 0 {
		byteOf = []byte{byte(outcome)}
	}
	c, err := db.chunk(ctx, tx, `
		WHERE job_id = $1 AND outcomes IS NOT NULL AND first_row + line_count - 1 > $2 AND ($3::bytea IS NULL OR position($3::bytea IN outcomes) > 0)
		ORDER BY chunk_index
		LIMIT 1`, key, after, byteOf)
	if problem.CodeOf(err) == problem.NotFound {
		return nil, nil
	}
	return c, err
}

// ResultsBetween returns the rows of a range that have results, in file order: with field or
// code, only those with such a row error. Rows in error whose errors are not stored have the code
// ERRORS_NOT_STORED.
func (db *DB) ResultsBetween(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, field, code string) ([]job.RowResult, error) {
	onlyUndescribed := field == "" && code == string(problem.ErrorsNotStored)
	if onlyUndescribed {
		code = ""
	}
	wanted := make(map[string]string)
	if field != "" {
		wanted["field"] = field
	}
	if code != "" {
		wanted["code"] = code
	}
	pattern, err := json.Marshal([]map[string]string{wanted})
	if err != nil {
		return nil, fmt.Errorf("load results of job %d: %w", key, err)
	}
	found, err := db.results(ctx, tx, `WHERE job_id = $1 AND row_number BETWEEN $2 AND $3 AND ($4::jsonb = '[{}]' OR faults @> $4::jsonb)`, key, first, last, pattern)
	if err != nil || field != "" || code != "" {
		return found, err
	}
	if found, err = db.addUndescribed(ctx, tx, key, first, last, found); err != nil || !onlyUndescribed {
		return found, err
	}
	return slices.DeleteFunc(found, func(r job.RowResult) bool {
		return !slices.ContainsFunc(r.Errors, func(e rowwrite.Error) bool { return e.Code == problem.ErrorsNotStored })
	}), nil
}

// RetryResults returns the results of those rows in a retry.
func (db *DB) RetryResults(ctx context.Context, tx pgx.Tx, rerun job.ID, rows []int64) ([]job.RowResult, error) {
	return db.results(ctx, tx, `WHERE job_id = (SELECT id FROM import_jobs WHERE uuid = $1) AND row_number = ANY ($2)`, rerun, rows)
}

func (*DB) results(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]job.RowResult, error) {
	rows, err := tx.Query(ctx, `SELECT row_number, outcome::text, faults FROM import_row_results `+where+` ORDER BY row_number`, args...)
	if err != nil {
		return nil, fmt.Errorf("load results of rows: %w", err)
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
		return nil, fmt.Errorf("load results of rows: %w", err)
	}
	return found, nil
}

// maxCountedResults is the maximum number of a job's results that are counted by field and
// code: counting millions would take too long for a caller.
const maxCountedResults = 200_000

// CountRowErrors returns the number of rows for each row error, the most frequent first, up to
// limit of them; complete is false if only the first results were counted.
func (*DB) CountRowErrors(ctx context.Context, tx pgx.Tx, key job.Key, limit int) (counts []job.RowErrorCount, complete bool, err error) {
	rows, err := tx.Query(ctx, `
		WITH r AS MATERIALIZED (
			SELECT outcome, faults FROM import_row_results WHERE job_id = $1 ORDER BY row_number LIMIT $2
		), c AS (
			SELECT r.outcome::text AS outcome, coalesce(f.fault ->> 'field', '') AS field, f.fault ->> 'code' AS code, count(*) AS n
			FROM r, LATERAL (SELECT DISTINCT x AS fault FROM (SELECT e - 'message' - 'value' FROM jsonb_array_elements(r.faults) AS e) AS d(x)) AS f
			GROUP BY 1, 2, 3
		)
		SELECT outcome, field, code, n, (SELECT count(*) < $2 FROM r)
		FROM c
		ORDER BY n DESC, outcome, field, code
		LIMIT $3`, key, maxCountedResults, limit)
	if err != nil {
		return nil, false, fmt.Errorf("count errors of job %d: %w", key, err)
	}
	complete = true
	counts, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c job.RowErrorCount, err error) {
		var outcome string
		if err := row.Scan(&outcome, &c.Field, &c.Code, &c.Rows, &complete); err != nil {
			return c, err
		}
		c.Outcome = rowwrite.Outcome(outcome[0])
		return c, nil
	})
	if err != nil {
		return nil, false, fmt.Errorf("count errors of job %d: %w", key, err)
	}
	return countUndescribed(ctx, tx, key, counts, complete)
}

// countUndescribed adds the number of rows in error whose errors are not stored.
func countUndescribed(ctx context.Context, tx pgx.Tx, key job.Key, counts []job.RowErrorCount, complete bool) ([]job.RowErrorCount, bool, error) {
	var n int64
	err := tx.QueryRow(ctx, `
		SELECT error_count - (SELECT count(*) FROM import_row_results WHERE job_id = $1 AND outcome = 'E')
		FROM import_jobs
		WHERE id = $1`, key).Scan(&n)
	if err != nil {
		return nil, false, fmt.Errorf("count errors of job %d: %w", key, err)
	}
	if n > 0 {
		counts = append(counts, job.RowErrorCount{Outcome: rowwrite.Errored, Code: string(problem.ErrorsNotStored), Rows: n})
	}
	return counts, complete, nil
}

// CountIssues returns the number of errors and remarks of a job's rows. A row in error whose errors
// are not stored counts as one.
func (*DB) CountIssues(ctx context.Context, tx pgx.Tx, key job.Key) (n int64, err error) {
	err = tx.QueryRow(ctx, `
		SELECT j.error_count + (
			SELECT coalesce(sum(jsonb_array_length(r.faults)), 0)::int8 - count(*) FILTER (WHERE r.outcome = 'E')
			FROM import_row_results AS r
			WHERE r.job_id = $1
		)
		FROM import_jobs AS j
		WHERE j.id = $1`, key).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count issues of job %d: %w", key, err)
	}
	return n, nil
}
