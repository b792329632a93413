package step_test

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/purge"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// stubStores replaces all stores outside the database from which the purge deletes.
type stubStores struct{}

func (stubStores) Delete(context.Context, string) error                  { return nil }
func (stubStores) DeleteAll(context.Context, string) (int, error)        { return 0, nil }
func (stubStores) DeleteJobs(context.Context, tenant.ID, []job.ID) error { return nil }
func (stubStores) Stop(context.Context, job.ID, string) error            { return nil }
func (stubStores) Record(_ context.Context, _ *job.Job, _, _ job.Status) {}

// A purge that considers every waiting import abandoned runs continuously while imports are
// confirmed, split, processed, and ask again. Each import ends either completed with all its
// rows, or cancelled and later deleted with all its bookkeeping. No row is written partially.
func TestPurgeDuringImport(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	log := slog.New(slog.DiscardHandler)
	step, err := purge.New(e.Maintenance, stubStores{}, stubStores{}, stubStores{}, catalog.New(), stubStores{}, telemetry.NewMetrics(io.Discard),
		purge.Config{Ended: time.Hour, Waiting: time.Microsecond, Announced: time.Microsecond, Jobs: 10, Rows: 100, Timeout: 10 * time.Second}, log)
	require.NoError(t, err)

	const imports = 24
	completed, gone := 0, 0
	for range imports {
		ref := e.create(t, "MEMBERSHIP", "roster.csv", roster, asking)
		var group sync.WaitGroup
		begin, stop := rand.N(20*time.Millisecond), make(chan struct{})
		group.Go(func() {
			for tick := time.After(begin); ; tick = time.After(rand.N(2 * time.Millisecond)) {
				select {
				case <-stop:
					return
				case <-tick:
					if err := step.Run(context.WithoutCancel(t.Context())); err != nil {
						t.Error(err)
					}
				}
			}
		})
		whole := e.runToEnd(t, ref)
		close(stop)
		group.Wait()
		if whole {
			completed++
			require.True(t, e.job(t, ref).Progress.Reconciles())
			continue
		}
		gone++
		require.Equal(t, job.Cancelled, e.job(t, ref).Status)
	}
	e.Exec(t, `UPDATE import_jobs SET completed_at = now() - interval '2 hours', undo_until = now() - interval '1 hour' WHERE status = 'CANCELLED'`)
	require.NoError(t, step.Run(t.Context()))
	require.Equal(t, completed, postgrestest.Query[int](t, e.Database, `SELECT count(*) FROM import_jobs`))
	t.Logf("%d imports completed, %d purged", completed, gone)
	for _, table := range []string{"import_chunks", "import_row_results", "import_column_mappings", "import_cell_mappings", "job_events"} {
		require.Zero(t, postgrestest.Query[int](t, e.Database, `SELECT count(*) FROM `+table+` WHERE job_id NOT IN (SELECT id FROM import_jobs)`), table)
	}
	require.Zero(t, postgrestest.Query[int](t, e.Database, `SELECT count(*) FROM persons WHERE id NOT IN (SELECT person_id FROM memberships)`), "no person is left without a membership")
}

// runToEnd runs a job from its file to its end, with decisions for all questions. It returns
// false if the job is purged on the way.
func (e *engine) runToEnd(t *testing.T, ref job.Ref) bool {
	t.Helper()
	run := func(f func() error) bool { return f() == nil }
	answer := func(sql string, to job.Status) func() error {
		return func() error {
			return e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				j, err := e.DB.LockJob(t.Context(), tx, ref.JobID)
				if err != nil {
					return err
				}
				if _, err := tx.Exec(t.Context(), sql, j.Key); err != nil {
					return err
				}
				_, ok, err := e.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: to})
				if err == nil && !ok {
					err = io.EOF
				}
				return err
			})
		}
	}
	const columns = `UPDATE import_column_mappings SET status = 'IGNORED' WHERE job_id = $1 AND status = 'UNRESOLVED'`
	const cells = `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', target_entity_id = '1' WHERE job_id = $1 AND status = 'UNRESOLVED'`
	e.queued = nil
	steps := []func() error{
		func() error { _, err := e.analyze.Run(t.Context(), ref); return err },
		answer(columns, job.CellMapping),
		answer(`SELECT FROM import_jobs WHERE id = $1`, job.Processing), // the values first occur while processing
		func() error { return e.split.Run(t.Context(), ref) },
		func() error { return e.processAll(t) },
		answer(cells, job.Processing),
		func() error { return e.split.Run(t.Context(), ref) },
		func() error { return e.processAll(t) },
		func() error { return e.complete.Run(t.Context(), ref) },
	}
	for _, step := range steps {
		if !run(step) {
			return false
		}
	}
	return true
}

// processAll processes the queued chunks.
func (e *engine) processAll(t *testing.T) error {
	queued := e.queued
	e.queued = nil
	for _, c := range queued {
		if err := e.process.Run(t.Context(), c); err != nil {
			return err
		}
	}
	return nil
}
