package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/pgtext"
)

// AddResults stores row errors. A row's later result replaces its earlier one.
func (db *DB) AddResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult) error {
	return addResults(ctx, tx, j, results, "outcome = excluded.outcome, faults = excluded.faults")
}

// ExtendResults adds warnings to the results of rows.
func (db *DB) ExtendResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult) error {
	return addResults(ctx, tx, j, results, "faults = import_row_results.faults || excluded.faults")
}

// addResults stores row errors. set changes a result that the row has already.
func addResults(ctx context.Context, tx pgx.Tx, j *job.Job, results []job.RowResult, set string) error {
	if len(results) == 0 {
		return nil
	}
	numbers, outcomes, faults := make([]int64, len(results)), make([]byte, 0, len(results)), make([]string, len(results))
	for i, r := range results {
		text, err := json.Marshal(boundErrors(r.Errors))
		if err != nil {
			return fmt.Errorf("encode results of job %s: %w", j.ID, err)
		}
		numbers[i], faults[i] = r.Row, string(pgtext.SanitizeJSON(text))
		outcomes = append(outcomes, byte(r.Outcome))
	}
	insert := func(tx pgx.Tx, onConflict string) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO import_row_results (job_id, organisation_id, row_number, outcome, faults)
			SELECT $1, $2, v.n, chr(get_byte($3::bytea, v.place::int - 1))::"char", v.f::jsonb
			FROM unnest($4::bigint[], $5::text[]) WITH ORDINALITY AS v(n, f, place) -- the driver encodes texts three times as fast as jsonb
			WHERE v.place <= `+roomForResults+`
			`+onConflict,
			j.Key, j.OrganisationID, outcomes, numbers, faults, job.MaxDescribedRows, freeDescribedRows, maxDescribedRows)
		return err
	}
	// Results are nearly always a row's first. ON CONFLICT would cost a third of the time, and a
	// savepoint as much as a few hundred rows.
	var err error
	if len(results) >= insertFirstThreshold {
		err = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return insert(tx, "") })
	}
	if len(results) < insertFirstThreshold || entity.IsUniqueViolation(err) {
		err = insert(tx, "ON CONFLICT (job_id, row_number) DO UPDATE SET "+set)
	}
	if err != nil {
		return fmt.Errorf("add %d results of job %s: %w", len(results), j.ID, err)
	}
	return nil
}

// insertFirstThreshold is the number of results from which a plain insert is tried first.
const insertFirstThreshold = 500

// DeleteDeferredResults deletes the results of deferred rows in a range, which are about to be
// processed again.
func (db *DB) DeleteDeferredResults(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) error {
	_, err := tx.Exec(ctx, `
		DELETE FROM import_row_results
		WHERE job_id = $1 AND row_number BETWEEN $2 AND $3 AND outcome = 'D'`, key, first, last)
	if err != nil {
		return fmt.Errorf("delete deferred results of job %d: %w", key, err)
	}
	return nil
}

// ResultFilter narrows a list of results.
type ResultFilter struct {
	Outcome rowwrite.Outcome // 0: all
	job.Page
}

// ResultCursor returns the keys of a row in the list.
func ResultCursor(r *job.RowResult) []string { return []string{intCursor(r.Row)} }

// Results lists the outcomes of a job's rows in file order: the bytes of the ledger,
// with the row errors of those that have some.
func (db *DB) Results(ctx context.Context, tx pgx.Tx, key job.Key, f ResultFilter) ([]job.RowResult, error) {
	found, err := db.readResults(ctx, tx, key, f)
	if err != nil || len(found) == 0 {
		return found, err
	}
	places := make(map[int64]int, len(found))
	numbers := make([]int64, len(found))
	for i, r := range found {
		places[r.Row], numbers[i] = i, r.Row
	}
	rows, err := tx.Query(ctx, `SELECT row_number, faults FROM import_row_results WHERE job_id = $1 AND row_number = ANY ($2)`, key, numbers)
	if err != nil {
		return nil, fmt.Errorf("load results of job %d: %w", key, err)
	}
	var number int64
	var faults []rowwrite.Error
	_, err = pgx.ForEachRow(rows, []any{&number, &faults}, func() error {
		found[places[number]].Errors = faults
		faults = nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load results of job %d: %w", key, err)
	}
	for i := range found {
		if found[i].Outcome == rowwrite.Errored && found[i].Errors == nil {
			found[i].Errors = notDescribed()
		}
	}
	return found, nil
}

// CountResults counts the rows with an outcome.
func (db *DB) CountResults(ctx context.Context, tx pgx.Tx, key job.Key, o rowwrite.Outcome) (n int64, err error) {
	rows, err := tx.Query(ctx, `SELECT outcomes FROM import_chunks WHERE job_id = $1 AND outcomes IS NOT NULL`, key)
	if err != nil {
		return 0, fmt.Errorf("count results of job %d: %w", key, err)
	}
	var outcomes []byte
	_, err = pgx.ForEachRow(rows, []any{&outcomes}, func() error {
		n += int64(bytes.Count(outcomes, []byte{byte(o)}))
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("count results of job %d: %w", key, err)
	}
	return n, nil
}

// readResults reads the ledger in file order, and returns the rows that match the filter,
// without their errors.
func (db *DB) readResults(ctx context.Context, tx pgx.Tx, key job.Key, f ResultFilter) ([]job.RowResult, error) {
	after := int64(-1)
	if len(f.After) > 0 {
		var err error
		if after, err = strconv.ParseInt(f.After[0], 10, 64); err != nil || len(f.After) > 1 {
			return nil, errCursor()
		}
	}
	rows, err := tx.Query(ctx, `
		SELECT first_row, outcomes FROM import_chunks
		WHERE job_id = $1 AND outcomes IS NOT NULL AND first_row + line_count > $2
		ORDER BY first_row`, key, after)
	if err != nil {
		return nil, fmt.Errorf("decode outcomes of job %d: %w", key, err)
	}
	defer rows.Close()
	var found []job.RowResult
	skip := f.Offset
	for rows.Next() && int64(len(found)) < f.Limit {
		var first int64
		var outcomes []byte
		if err := rows.Scan(&first, &outcomes); err != nil {
			return nil, fmt.Errorf("decode outcomes of job %d: %w", key, err)
		}
		for i, o := range outcomes {
			outcome := rowwrite.Outcome(o)
			if first+int64(i) <= after || outcome.String() == "" || f.Outcome != 0 && f.Outcome != outcome {
				continue
			}
			if skip > 0 {
				skip--
				continue
			}
			if found = append(found, job.RowResult{Row: first + int64(i), Outcome: outcome}); int64(len(found)) == f.Limit {
				break
			}
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("decode outcomes of job %d: %w", key, err)
	}
	return found, nil
}
