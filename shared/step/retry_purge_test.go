package step_test

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/purge"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// TestPurgedRetryKeepsParentFile: the file is deleted with the parent. The corrections of a job
// are deleted with it.
func TestPurgedRetryKeepsParentFile(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	first := e.create(t, "USER", "users.csv", users, nil)
	e.runFile(t, first, false)
	e.saveCorrections(t, first, map[string]string{"3 EMAIL": `"b@x.org"`})
	second, err := e.retry(t, first, false)
	require.NoError(t, err)
	e.runFile(t, second, false)
	step, err := purge.New(e.Maintenance, e.memory, stubStores{}, stubStores{}, catalog.New(), stubStores{}, telemetry.NewMetrics(io.Discard),
		purge.Config{Ended: time.Hour, Waiting: time.Hour, Announced: time.Hour, Jobs: 10, Rows: 100, Timeout: 10 * time.Second}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	left := func() [3]int64 {
		return [3]int64{
			postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM import_jobs`),
			postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM import_row_corrections`),
			int64(len(e.stored(t, first))),
		}
	}
	require.Equal(t, [3]int64{2, 2, 1}, left())

	e.Exec(t, `UPDATE import_jobs SET completed_at = now() - interval '2 hours', undo_until = now() WHERE uuid = $1`, second.JobID)
	require.NoError(t, step.Run(t.Context()))
	require.Equal(t, [3]int64{1, 1, 1}, left())
	e.Exec(t, `UPDATE import_jobs SET completed_at = now() - interval '2 hours', undo_until = now()`)
	require.NoError(t, step.Run(t.Context()))
	require.Equal(t, [3]int64{}, left())
}

// stored returns the keys of the objects of a job's file.
func (e *engine) stored(t *testing.T, ref job.Ref) []string {
	t.Helper()
	keys, err := e.Objects(t.Context(), "uploads/1/"+string(ref.JobID)+"/")
	require.NoError(t, err)
	return keys
}
