package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// One row of very many already has a result, like a displaced row.
func TestLaterResultReplacesEarlierInLargeBatch(t *testing.T) {
	t.Parallel()
	const rows = 1000
	d := postgrestest.Setup(t)
	j := d.AddJob(t, "status = 'PROCESSING', started_at = now(), uploaded_at = now()")
	add := func(code string, first, last int64) {
		var results []job.RowResult
		for row := first; row <= last; row++ {
			results = append(results, job.RowResult{Row: row, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{Code: problem.Code(code), Message: "…"}}})
		}
		require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error { return d.DB.AddResults(t.Context(), tx, j, results) }))
	}
	codes := func() map[string]any {
		return postgrestest.Query[map[string]any](t, d, `
			SELECT jsonb_object_agg(code, n) FROM (
				SELECT faults->0->>'code' AS code, count(*)::text AS n FROM import_row_results GROUP BY 1
			) AS c`)
	}
	add("NEW", 2, rows+1)
	require.Equal(t, map[string]any{"NEW": "1000"}, codes())
	add("LATER", rows+1, 2*rows)
	require.Equal(t, map[string]any{"NEW": "999", "LATER": "1000"}, codes())
}
