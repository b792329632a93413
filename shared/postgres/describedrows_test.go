package postgres_test

import (
	"math"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// failedRows returns n rows in error from a row number.
func failedRows(first int64, n, errorsPerRow int) (results []job.RowResult) {
	for i := range n {
		r := job.RowResult{Row: first + int64(i), Outcome: rowwrite.Errored}
		for range errorsPerRow {
			r.Errors = append(r.Errors, rowwrite.Error{Code: problem.CellRequired, Field: "NAME", Message: "Name: This is missing."})
		}
		results = append(results, r)
	}
	return results
}

// The errors of a limited number of rows are stored, of an import and of all imports that the
// organisation keeps. Other organisations do not count.
func TestStoredErrorsAreBounded(t *testing.T) {
	t.Parallel()
	const none = "error_count = 0"
	for name, c := range map[string]struct {
		own, other string
		stored     int
	}{
		"few errors":                                          {none, none, 10},
		"nearly as many as one import stores":                 {"error_count = 99990, skipped_count = 4", none, 6},
		"as many as one import stores":                        {"error_count = 100000", none, 0},
		"an import with many errors counts as what it stores": {"error_count = 1000", "error_count = 1998996", 10},
		"first errors of an organisation with many":           {"error_count = 999", "error_count = 99999999", 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := postgrestest.Setup(t)
			d.AddJob(t, "status = 'COMPLETED', completed_at = now(), "+c.other)
			j := d.AddJob(t, "status = 'PROCESSING', "+c.own)
			require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				return d.DB.AddResults(t.Context(), tx, j, failedRows(2, 10, 1))
			}))
			require.Equal(t, c.stored, postgrestest.Query[int](t, d, `SELECT count(*) FROM import_row_results`))
		})
	}
}

// Twenty imports with the most errors use what an organisation can store.
func TestStoredErrorsOfOrganisationAreBounded(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	for range 20 {
		d.AddJob(t, "status = 'COMPLETED', completed_at = now(), error_count = 5000000")
	}
	j := d.AddJob(t, "status = 'PROCESSING', error_count = 1000")
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return d.DB.AddResults(t.Context(), tx, j, failedRows(2, 1000, 1))
	}))
	require.Zero(t, postgrestest.Query[int](t, d, `SELECT count(*) FROM import_row_results`))
}

// A row stores up to 20 errors; the last one says how many others there are.
func TestStoredErrorsOfRowAreBounded(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	j := d.AddJob(t, "status = 'PROCESSING'")
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return d.DB.AddResults(t.Context(), tx, j, append(failedRows(2, 1, 20), failedRows(3, 1, 100)...))
	}))
	require.Equal(t, "NAME", postgrestest.Query[string](t, d, `SELECT faults -> 19 ->> 'field' FROM import_row_results WHERE row_number = 2`))
	require.Equal(t, 20, postgrestest.Query[int](t, d, `SELECT jsonb_array_length(faults) FROM import_row_results WHERE row_number = 3`))
	require.Equal(t, "ERRORS_NOT_STORED 81 more errors of this row are not listed. Correct these first.",
		postgrestest.Query[string](t, d, `SELECT faults -> 19 ->> 'code' || ' ' || (faults -> 19 ->> 'message') FROM import_row_results WHERE row_number = 3`))
}

// Every row in error is reported, also without stored errors: the ledger has its outcome.
func TestRowsWithoutStoredErrorsAreReported(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	j := d.AddJob(t, "status = 'PROCESSING', error_count = 21")
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		for chunk := range 7 { // rows 1 to 28; each first row of a chunk is created
			c := job.Chunk{JobKey: j.Key, Index: chunk, Key: "k", FirstRow: int64(chunk)*4 + 1, Lines: 4, Rows: 4, Done: true, Outcomes: []byte("CEEE")}
			require.NoError(t, d.DB.AddChunks(t.Context(), tx, j, []job.Chunk{c}))
			require.NoError(t, d.DB.SaveOutcomes(t.Context(), tx, &c))
		}
		return d.DB.AddResults(t.Context(), tx, j, failedRows(2, 2, 1))
	}))
	inTx := func(do func(tx pgx.Tx) error) { require.NoError(t, d.DB.InOrganisation(t.Context(), 1, do)) }
	inTx(func(tx pgx.Tx) error {
		all, err := d.DB.FailedRows(t.Context(), tx, j.Key, 0, math.MaxInt64, 1000)
		require.Len(t, all, 21)
		require.Equal(t, problem.CellRequired, all[1].Errors[0].Code)
		for _, r := range all[2:] {
			require.Equal(t, problem.ErrorsNotStored, r.Errors[0].Code)
		}
		page, err2 := d.DB.FailedRows(t.Context(), tx, j.Key, 7, math.MaxInt64, 3)
		require.NoError(t, err2)
		require.Equal(t, []int64{7, 8, 10}, []int64{page[0].Row, page[1].Row, page[2].Row})
		return err
	})
	inTx(func(tx pgx.Tx) error {
		counts, complete, err := d.DB.CountRowErrors(t.Context(), tx, j.Key, 10)
		require.True(t, complete)
		require.Equal(t, []job.RowErrorCount{{Outcome: rowwrite.Errored, Field: "NAME", Code: "CELL_REQUIRED", Rows: 2}, {Outcome: rowwrite.Errored, Code: "ERRORS_NOT_STORED", Rows: 19}}, counts)
		return err
	})
	inTx(func(tx pgx.Tx) error {
		for code, rows := range map[string]int{"": 3, "CELL_REQUIRED": 2, "ERRORS_NOT_STORED": 1} {
			found, err := d.DB.ResultsBetween(t.Context(), tx, j.Key, 1, 4, "", code)
			require.NoError(t, err)
			require.Len(t, found, rows, code)
		}
		n, err := d.DB.CountResults(t.Context(), tx, j.Key, rowwrite.Errored)
		require.EqualValues(t, 21, n)
		return err
	})
}
