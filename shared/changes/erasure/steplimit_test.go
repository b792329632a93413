package erasure_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// Searching rows in error is slow, so a step covers a limited number of them, and each statement:
// imports with many rows in error do not exceed the time of a statement.
func TestErasureStepCoversLimitedRows(t *testing.T) {
	t.Parallel()
	w := setup(t, 4)
	for _, j := range w.jobs {
		w.Exec(t, `UPDATE import_jobs SET error_count = 3 WHERE id = $1`, j.Key)
		w.Exec(t, `INSERT INTO import_row_results (job_id, row_number, organisation_id, outcome, faults)
			SELECT $1, n, 1, 'E', jsonb_build_array(jsonb_build_object('field', 'EMAIL', 'value', $2::text)) FROM generate_series(0, 2) AS n`, j.Key, address)
	}
	traces := &erasure.Traces{}
	require.NoError(t, json.Unmarshal(fmt.Appendf(nil, `{"entities": [], "rows": [], "values": [%q]}`, address), traces))
	var after job.Key
	for _, expected := range [][]*job.Job{w.jobs[:2], w.jobs[2:4], nil} {
		w.inOrganisation(t, func(tx pgx.Tx) (err error) {
			after, err = w.DB.EraseJobValues(t.Context(), tx, traces, after, erasure.StepLimit{Jobs: 20, Rows: 4})
			return err
		})
		if expected == nil {
			require.Zero(t, after)
			break
		}
		require.Equal(t, expected[1].Key, after, "a step ends with the import that exceeds its rows")
		require.EqualValues(t, 3*len(w.jobs), postgrestest.Query[int64](t, w.Database, `
			SELECT count(*) FROM import_row_results WHERE (faults::text LIKE '%Erased.%') = (job_id <= $1)`, after), "all rows up to there are erased")
	}
	w.inOrganisation(t, func(tx pgx.Tx) error {
		w.AddJob(t, `status = 'UPLOADED'`)
		last, err := w.DB.EraseJobValues(t.Context(), tx, traces, 0, erasure.StepLimit{Jobs: 1, Rows: 4})
		require.Equal(t, w.jobs[0].Key, last)
		return err
	})
}
