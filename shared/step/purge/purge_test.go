package purge_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/step/purge"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

func TestJobRetentionTable(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	type row struct {
		importType string
		status     job.Status
		kept, gone time.Duration
	}
	table := []row{
		{"USER", job.Completed, 7*day - time.Minute, 7*day + time.Minute},
		{"USER", job.Failed, 7*day - time.Minute, 7*day + time.Minute},
		{"USER", job.Cancelled, 7*day - time.Minute, 7*day + time.Minute},
		{"USER", job.Uploaded, 2*day - time.Minute, 2*day + time.Minute},
		{"USER", job.ColumnMapping, 90*day - time.Minute, 90*day + time.Minute},
		{"USER", job.CellMapping, 90*day - time.Minute, 90*day + time.Minute},
		{"BATCH", job.Completed, 180*day - time.Minute, 180*day + time.Minute},
		{"BATCH", job.Failed, 180*day - time.Minute, 180*day + time.Minute},
		{"BATCH", job.Uploaded, 2*day - time.Minute, 2*day + time.Minute},
		{"GONE_TYPE", job.Completed, 7*day - time.Minute, 7*day + time.Minute},
	}
	kept, gone := make([]createdJob, len(table)), make([]createdJob, len(table))
	for i, r := range table {
		kept[i] = w.addAged(t, r.importType, r.status, r.kept)
		gone[i] = w.addAged(t, r.importType, r.status, r.gone)
	}
	processing := w.addAged(t, "USER", job.Processing, 3650*day)

	require.NoError(t, w.step.Run(t.Context()))

	for i, r := range table {
		require.True(t, w.exists(t, kept[i]), "%s %s of %s", r.importType, r.status, r.kept)
		require.Equal(t, r.status, w.status(t, kept[i]))
		require.Equal(t, !r.status.Terminal(), w.exists(t, gone[i]), "%s %s of %s", r.importType, r.status, r.gone)
		if !r.status.Terminal() {
			require.Equal(t, job.Cancelled, w.status(t, gone[i]), "%s %s of %s is cancelled and not yet deleted", r.importType, r.status, r.gone)
		}
	}
	require.True(t, w.exists(t, processing), "PROCESSING is never purged")
	require.ElementsMatch(t, []string{gone[3].uuid, gone[4].uuid, gone[5].uuid, gone[8].uuid}, w.stopped)
	require.Contains(t, w.log.String(), `"msg":"purged","jobs":6,"cancelled":4,"resumed":0,"objects":12,"rows":36,"exports":0,"failures":0,"finished":true`)
	require.Contains(t, w.metrics.String(), `"import.jobs.purged":3,"importType":"USER"`)

	w.Exec(t, `UPDATE import_jobs SET completed_at = completed_at - interval '181 days' WHERE failure_code = 'TIMED_OUT'`)
	require.NoError(t, w.step.Run(t.Context()))
	for i, r := range table {
		require.True(t, w.exists(t, kept[i]), "%s %s of %s", r.importType, r.status, r.kept)
		require.False(t, w.exists(t, gone[i]), "%s %s of %s", r.importType, r.status, r.gone)
	}
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM job_events`))
}

func TestExportRetentionEqualsImports(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for name, row := range map[string]string{
		"gone":    `'completed', now() - interval '7 days 1 minute'`,
		"gone 2":  `'failed', now() - interval '8 days'`,
		"gone 3":  `'cancelled', now() - interval '900 days'`,
		"kept":    `'completed', now() - interval '6 days 23 hours'`,
		"pending": `'pending', NULL`,
		"broken":  `'completed', now() - interval '8 days'`,
	} {
		w.Exec(t, `
			INSERT INTO export_jobs (uuid, organisation_id, import_type, format, object_key, request_id, created_at, status, completed_at)
			VALUES (gen_random_uuid(), 1, 'USER', 'csv', $1, 'test', now() - interval '10 years', `+row+`)`, "exports/"+name)
		w.objects["exports/"+name] = true
	}
	w.onDelete = func(key string) error {
		if key == "exports/broken" {
			return errors.New("S3 is away")
		}
		return nil
	}
	require.ErrorContains(t, w.step.Run(t.Context()), "S3 is away")
	require.Equal(t, []string{"exports/broken", "exports/kept", "exports/pending"}, slices.Sorted(maps.Keys(w.objects)))
	require.Equal(t, []string{"exports/broken", "exports/kept", "exports/pending"},
		postgrestest.Query[[]string](t, w.Database, `SELECT array_agg(object_key ORDER BY object_key) FROM export_jobs`))
	require.Contains(t, w.log.String(), `"exports":3,"failures":1`)
}

func TestDropFolderObjectIsNotPurged(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	c := w.addAged(t, "USER", job.Completed, 8*day)
	w.Exec(t, `UPDATE import_jobs SET object_key = 'drop/1/USER/-/f.csv'`)
	w.objects = map[string]bool{"drop/1/USER/-/f.csv": true}
	require.NoError(t, w.step.Run(t.Context()))
	require.False(t, w.exists(t, c))
	require.Contains(t, w.objects, "drop/1/USER/-/f.csv")
}

// An import is kept while another one retries some of its rows and may read its file. The
// retry does not delete the file, which belongs to the first import.
func TestRetriedImportIsKept(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	first, again := w.addAged(t, "USER", job.Completed, 30*day), w.addAged(t, "USER", job.Completed, 6*day)
	w.Exec(t, `UPDATE import_jobs SET retry_of = $2, object_key = $3 WHERE uuid = $1`, again.uuid, first.uuid, "uploads/1/"+first.uuid+"/source")
	source := "uploads/1/" + first.uuid + "/source"
	delete(w.objects, "uploads/1/"+again.uuid+"/source")
	require.NoError(t, w.step.Run(t.Context()))
	require.True(t, w.exists(t, first))
	require.Contains(t, w.objects, source)

	w.Exec(t, `UPDATE import_jobs SET completed_at = now() - interval '8 days' WHERE uuid = $1`, again.uuid)
	require.NoError(t, w.step.Run(t.Context()))
	require.False(t, w.exists(t, again))
	require.True(t, w.exists(t, first), "the original import is kept until the next run")
	require.Contains(t, w.objects, source)
	require.NoError(t, w.step.Run(t.Context()))
	require.False(t, w.exists(t, first))
	require.NotContains(t, w.objects, source)
}

// An interrupted run leaves the job's row, so that the next run finds the rest.
func TestFailedObjectDeleteKeepsJob(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	broken, fine := w.addAged(t, "USER", job.Failed, 8*day), w.addAged(t, "USER", job.Failed, 8*day)
	w.onDelete = func(key string) error {
		require.Equal(t, 1, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM import_jobs WHERE position(uuid::text IN $1) > 0`, key),
			"the job's row is deleted last")
		if strings.Contains(key, broken.uuid) {
			return errors.New("S3 is away")
		}
		return nil
	}
	require.ErrorContains(t, w.step.Run(t.Context()), "job "+broken.uuid+": S3 is away")
	require.True(t, w.exists(t, broken))
	require.False(t, w.exists(t, fine), "another job's failure has no effect")
	w.onDelete = nil
	require.NoError(t, w.step.Run(t.Context()))
	require.False(t, w.exists(t, broken))
}

// In many rounds, a purge races with a person's confirmation. Either the job stays complete and
// continues, or it has ended and the decision is refused.
func TestPurgeRacesConfirmation(t *testing.T) {
	t.Parallel()
	w := setup(t, func(c *purge.Config) { c.Jobs = 100 })
	const rounds = 40
	won := 0
	for range rounds {
		c := w.addAged(t, "USER", job.ColumnMapping, 91*day)
		var confirmed bool
		var group sync.WaitGroup
		start := make(chan struct{})
		group.Go(func() { <-start; confirmed = w.confirm(t, c) })
		group.Go(func() { <-start; w.run(t) })
		close(start)
		group.Wait()
		require.True(t, w.exists(t, c))
		if !confirmed {
			require.Equal(t, job.Cancelled, w.status(t, c))
			continue
		}
		won++
		require.Equal(t, job.CellMapping, w.status(t, c))
		require.NotContains(t, w.stopped, c.uuid)
	}
	t.Logf("the confirmation won %d of %d rounds", won, rounds)
}

func (w *harness) run(t *testing.T) {
	if err := w.step.Run(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// The confirmation's transaction is open when the purge runs: the purge waits for it and then
// finds that the job has changed.
func TestPendingConfirmationKeepsJob(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	c := w.addAged(t, "USER", job.ColumnMapping, 91*day)
	var group sync.WaitGroup
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, ok, err := w.DB.Transition(t.Context(), tx, c.key, job.Transition{To: job.CellMapping})
		require.NoError(t, err)
		require.True(t, ok)
		group.Go(func() { w.run(t) })
		require.Eventually(t, func() bool {
			return postgrestest.Query[bool](t, w.Database, `
				SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'loadbay_maintenance' AND wait_event_type = 'Lock' AND datname = current_database())`)
		}, 2*time.Minute, 5*time.Millisecond)
		return nil
	}))
	group.Wait()
	require.True(t, w.exists(t, c))
	require.Equal(t, job.CellMapping, w.status(t, c))
	require.Contains(t, w.log.String(), `"resumed":1`)
}

func TestConcurrentPurges(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var jobs []createdJob
	for i := range 12 {
		jobs = append(jobs, w.addAged(t, "USER", []job.Status{job.Completed, job.CellMapping}[i%2], 91*day))
	}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() { w.run(t) })
	}
	group.Wait()
	for i, c := range jobs {
		require.Equal(t, i%2 == 1, w.exists(t, c), "waiting jobs are cancelled and not yet deleted")
	}
	require.Equal(t, 6, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM job_events WHERE status = 'CANCELLED'`), "each job is cancelled once")
}

// Each deleted row takes a while here, so that only small batches finish in time.
func TestBatchShrinksAfterTimeout(t *testing.T) {
	t.Parallel()
	w := setup(t, func(c *purge.Config) { c.Rows, c.Timeout = 800, time.Second })
	c := w.addAged(t, "USER", job.Completed, 8*day)
	w.Exec(t, `INSERT INTO import_row_results (job_id, row_number, organisation_id, outcome, faults) SELECT $1, n, 1, 'E', '[]' FROM generate_series(10, 809) AS n`, c.key)
	w.Exec(t, `
		CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.002); RETURN OLD; END $$;
		CREATE TRIGGER dawdle BEFORE DELETE ON import_row_results FOR EACH ROW EXECUTE FUNCTION dawdle()`)
	require.NoError(t, w.step.Run(t.Context()))
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM import_row_results`))
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM import_jobs`))
}

// A locked row keeps its job, and no other. The purge does not wait for the lock indefinitely.
func TestLockedJobIsSkipped(t *testing.T) {
	t.Parallel()
	w := setup(t, func(c *purge.Config) { c.Timeout = time.Second })
	locked, free := w.addAged(t, "USER", job.Completed, 8*day), w.addAged(t, "USER", job.Completed, 8*day)
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT FROM import_row_results WHERE job_id = $1 FOR UPDATE`, locked.key)
		require.NoError(t, err)
		require.ErrorContains(t, w.step.Run(t.Context()), "job "+locked.uuid)
		return nil
	}))
	require.False(t, w.exists(t, free))
	require.Equal(t, job.Completed, w.status(t, locked))
	require.NoError(t, w.step.Run(t.Context()))
	require.False(t, w.exists(t, locked))
}

func TestPurgeStopsBeforeDeadline(t *testing.T) {
	t.Parallel()
	w := setup(t, func(c *purge.Config) { c.Reserve = time.Hour })
	c := w.addAged(t, "USER", job.CellMapping, 91*day)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, w.step.Run(ctx))
	require.True(t, w.exists(t, c))
	require.Contains(t, w.log.String(), `"finished":false`)
}

// Nothing is left to cascades, which have no batch limit: rows in the tables of an import type
// are deleted before the job, too.
func TestNoTableReliesOnCascade(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	c := w.addAged(t, "USER", job.Completed, 8*day)
	w.Exec(t, `
		CREATE TABLE own_rows (job_id bigint NOT NULL REFERENCES import_jobs, organisation_id bigint NOT NULL);
		CALL isolate_tenants('own_rows');
		CALL admit_maintenance('own_rows')`)
	w.Exec(t, `INSERT INTO own_rows SELECT $1, 1 FROM generate_series(1, 10)`, c.key)
	require.NoError(t, w.step.Run(t.Context()))
	require.False(t, w.exists(t, c))
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM own_rows`))
	require.Equal(t, "", postgrestest.Query[string](t, w.Database, `
		SELECT coalesce(string_agg(conrelid::regclass::text, ', '), '')
		FROM pg_constraint
		WHERE confrelid = 'import_jobs'::regclass AND NOT has_table_privilege('loadbay_maintenance', conrelid, 'DELETE')`),
		"the purge cannot delete from these tables, which refer to jobs")
}

// An import with an uploaded file waits for a person, even if its execution starts late.
func TestArrivedFileIsNotExpired(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	announced, arrived := w.addAged(t, "USER", job.Uploaded, 3*day), w.addAged(t, "USER", job.Uploaded, 3*day)
	w.Exec(t, `UPDATE import_jobs SET uploaded_at = created_at WHERE uuid = $1`, arrived.uuid)
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, job.Cancelled, w.status(t, announced))
	require.Equal(t, job.Uploaded, w.status(t, arrived))
	require.Equal(t, "The file of this import was not uploaded in time.",
		postgrestest.Query[string](t, w.Database, `SELECT failure_message FROM import_jobs WHERE uuid = $1`, announced.uuid))
}

func TestInvalidConfigIsRejected(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*purge.Config){
		"ended":     func(c *purge.Config) { c.Ended = 0 },
		"waiting":   func(c *purge.Config) { c.Waiting = -time.Hour },
		"announced": func(c *purge.Config) { c.Announced = 0 },
		"jobs":      func(c *purge.Config) { c.Jobs = 0 },
		"rows":      func(c *purge.Config) { c.Rows = 0 },
		"timeout":   func(c *purge.Config) { c.Timeout = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := purge.Config{Ended: 1, Waiting: 1, Announced: 1, Jobs: 1, Rows: 1, Timeout: 1}
			change(&c)
			_, err := purge.New(nil, nil, nil, nil, catalog.New(), nil, nil, c, nil)
			require.ErrorContains(t, err, "invalid configuration")
		})
	}
}
