package purge_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// makeUndoable makes a job undoable for the given time, with a change set of five parts.
func (w *harness) makeUndoable(t *testing.T, c createdJob, left time.Duration) {
	t.Helper()
	w.Exec(t, `UPDATE import_jobs SET undo_until = now() + make_interval(secs => $2) WHERE id = $1`, c.key, left.Seconds())
	w.Exec(t, `INSERT INTO import_changes (job_id, organisation_id, chunk_index, part, created, updated, deleted, data)
		SELECT $1, 1, 0, n, 1, 0, 0, '\x01' FROM generate_series(0, 4) AS n`, c.key)
}

// jobData counts a job's rows, parts of its change set and objects.
type jobData struct{ rows, parts, objects int }

func (w *harness) dataOf(t *testing.T, c createdJob) jobData {
	t.Helper()
	k := jobData{
		rows:  postgrestest.Query[int](t, w.Database, `SELECT (SELECT count(*) FROM import_jobs WHERE id = $1) + (SELECT count(*) FROM import_row_results WHERE job_id = $1)`, c.key),
		parts: postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM import_changes WHERE job_id = $1`, c.key),
	}
	for _, name := range []string{"uploads/1/" + c.uuid + "/source", "chunks/1/" + c.uuid + "/000000"} {
		if w.objects[name] {
			k.objects++
		}
	}
	return k
}

func TestUndoableJobIsKept(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	fresh, open, over := w.addAged(t, "USER", job.Completed, 6*day), w.addAged(t, "USER", job.Completed, 29*day), w.addAged(t, "USER", job.Failed, 31*day)
	batch := w.addAged(t, "BATCH", job.Completed, 31*day)
	w.makeUndoable(t, fresh, 24*day)
	w.makeUndoable(t, open, day)
	w.makeUndoable(t, over, -day)
	w.makeUndoable(t, batch, -day)
	for range 2 { // a second run changes nothing
		require.NoError(t, w.step.Run(t.Context()))
		require.Equal(t, jobData{4, 5, 2}, w.dataOf(t, fresh))
		require.Equal(t, jobData{4, 5, 0}, w.dataOf(t, open), "files are not needed for the undo")
		require.Equal(t, jobData{0, 0, 0}, w.dataOf(t, over))
		require.Equal(t, jobData{4, 0, 2}, w.dataOf(t, batch), "results are kept by the type's retention, changes are not")
	}
	require.Contains(t, w.log.String(), `"objects":0`)
}

func TestJobUnderUndoIsKept(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	origin, undo := w.addAged(t, "USER", job.Completed, 31*day), w.addAged(t, "USER", job.Processing, time.Minute)
	w.makeUndoable(t, origin, -day)
	w.Exec(t, `UPDATE import_jobs SET purpose = 'UNDO', undo_of = $2 WHERE uuid = $1`, undo.uuid, origin.uuid)
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, jobData{4, 5, 0}, w.dataOf(t, origin))
	w.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', completed_at = now() WHERE uuid = $1`, undo.uuid)
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, jobData{}, w.dataOf(t, origin))
}

// Retention starts at the end of the job, however it ends, and only if the job wrote anything.
func TestRetentionStartsAtJobEnd(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for _, c := range []struct {
		to   job.Status
		set  string
		days any
	}{
		{job.Completed, `undo_days = 30, started_at = now()`, 30},
		{job.Failed, `undo_days = 90, started_at = now()`, 90},
		{job.Cancelled, `undo_days = 1, started_at = now()`, 1},
		{job.Completed, `undo_days = 0, started_at = now()`, nil},
		{job.Completed, `dry_run = true, started_at = now()`, nil},
		{job.Failed, `undo_days = 30`, nil},
	} {
		j := w.addAged(t, "USER", job.Processing, time.Minute)
		w.Exec(t, `UPDATE import_jobs SET `+c.set+`, split_complete = true WHERE id = $1`, j.key)
		if c.to == job.Cancelled {
			w.Exec(t, `UPDATE import_jobs SET split_complete = false WHERE id = $1`, j.key)
		}
		require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			_, ok, err := w.DB.Transition(t.Context(), tx, j.key, job.Transition{To: c.to})
			require.True(t, ok)
			return err
		}))
		days := postgrestest.Query[*int](t, w.Database, `SELECT extract(day FROM undo_until - completed_at)::int FROM import_jobs WHERE id = $1`, j.key)
		if c.days == nil {
			require.Nil(t, days, c.set)
			continue
		}
		require.Equal(t, c.days, *days, c.set)
	}
}

// The files of ended imports may contain persons who have been erased.
func TestDueFilesAreDeleted(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	due, other := w.addAged(t, "USER", job.Completed, time.Hour), w.addAged(t, "USER", job.Completed, time.Hour)
	w.makeUndoable(t, due, 29*day)
	w.Exec(t, `UPDATE import_jobs SET files_due = true WHERE id = $1`, due.key)
	for name, isDue := range map[string]bool{"due": true, "other": false} {
		w.Exec(t, `INSERT INTO export_jobs (uuid, organisation_id, import_type, format, object_key, request_id, status, completed_at, purge_due)
			VALUES (gen_random_uuid(), 1, 'USER', 'csv', $1, 'test', 'completed', now(), $2)`, "exports/"+name, isDue)
		w.objects["exports/"+name] = true
	}
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, jobData{4, 5, 0}, w.dataOf(t, due))
	require.Equal(t, jobData{4, 0, 2}, w.dataOf(t, other))
	require.NotContains(t, w.objects, "exports/due")
	require.Contains(t, w.objects, "exports/other")
}

// An expired file is kept only while a retry of its rows runs. The files of the retry do not
// extend this.
func TestDueFileStaysWhileRetried(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	first, again := w.addAged(t, "USER", job.Completed, time.Hour), w.addAged(t, "USER", job.Processing, time.Minute)
	w.makeUndoable(t, first, 29*day)
	source := "uploads/1/" + first.uuid + "/source"
	w.Exec(t, `UPDATE import_jobs SET retry_of = $2, object_key = $3 WHERE uuid = $1`, again.uuid, first.uuid, source)
	w.Exec(t, `UPDATE import_jobs SET files_due = true`)
	require.NoError(t, w.step.Run(t.Context()))
	require.Contains(t, w.objects, source)
	require.Contains(t, w.objects, "chunks/1/"+again.uuid+"/000000", "the retry still runs")

	w.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', completed_at = now() WHERE uuid = $1`, again.uuid)
	require.NoError(t, w.step.Run(t.Context()))
	require.NotContains(t, w.objects, source)
	require.NotContains(t, w.objects, "chunks/1/"+again.uuid+"/000000", "the retry's chunks are deleted too")
}
