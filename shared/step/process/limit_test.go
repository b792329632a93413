package process_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// usersWithout is a file of users in chunks of ten, of which those rows lack an address.
func usersWithout(rows int, lacking func(i int) bool) importFile {
	f := importFile{mode: job.Insert, fields: []string{"EMAIL", "NAME"}, chunkRows: 10}
	for i := range rows {
		address := fmt.Sprintf("u%d@example.org", i)
		if lacking(i) {
			address = "nobody"
		}
		f.rows = append(f.rows, []string{address, fmt.Sprintf("U %d", i)})
	}
	return f
}

// beginLimited begins an import that may have so many rows in error.
func (r *harness) beginLimited(t *testing.T, f importFile, limit job.ErrorLimit) *splitImport {
	t.Helper()
	run := r.splitAndComplete(t, f)
	r.Exec(t, `UPDATE import_jobs SET max_errors = $2 WHERE id = $1`, run.Key, string(limit))
	return run
}

func (r *harness) countUsers(t *testing.T) int {
	t.Helper()
	return postgrestest.Query[int](t, r.Database, `SELECT count(*) FROM users`)
}

// A file that is plainly wrong leaves nothing behind but what is wrong with it.
func TestChunkOverErrorLimitIsNotWritten(t *testing.T) {
	t.Parallel()
	r := setup(t)
	run := r.beginLimited(t, usersWithout(40, func(i int) bool { return i%2 == 0 }), "3")
	r.deliver(t, 1, run.chunks)
	r.deliver(t, 1, run.chunks[:2]) // again
	j := r.ReadJob(t, run.ID)
	require.Equal(t, job.Failed, j.Status)
	require.Equal(t, "TOO_MANY_ERRORS", j.Failure.Code)
	require.Equal(t, "5 of 40 rows are in error already, and no more than 3 may be. 35 rows have not been imported.", j.Failure.Message)
	require.Equal(t, job.Counts{Errored: 5}, j.Progress.Counts)
	require.Zero(t, j.Progress.ChunksDone)
	require.Zero(t, r.countUsers(t))
	require.Equal(t, []string{"ERROR CELL_EMAIL", "ERROR CELL_EMAIL", "ERROR CELL_EMAIL", "ERROR CELL_EMAIL", "ERROR CELL_EMAIL"}, r.setOutcomes(t, run), "each is told")
	require.Equal(t, []string{"PROCESSING to FAILED"}, r.transitions)
	require.Equal(t, 1, postgrestest.Query[int](t, r.Database, `SELECT count(*) FROM job_events WHERE status = 'FAILED'`))
}

// setOutcomes are those of the rows that have one.
func (r *harness) setOutcomes(t *testing.T, run *splitImport) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, r.Database, `
		SELECT array_agg(CASE outcome WHEN 'E' THEN 'ERROR ' ELSE '' END || (faults -> 0 ->> 'code') ORDER BY row_number)
		FROM import_row_results WHERE job_id = `+fmt.Sprint(int64(run.Key)))
}

// What only shows in writing is counted chunk by chunk.
func TestChunkOverErrorLimitIsLast(t *testing.T) {
	t.Parallel()
	r := setup(t)
	f := usersWithout(40, func(int) bool { return false })
	for i := 15; i < 20; i++ {
		f.rows[i][0] = fmt.Sprintf("u%d@example.org", i-15) // another row's
	}
	run := r.beginLimited(t, f, "10%")
	r.deliver(t, 1, run.chunks)
	j := r.ReadJob(t, run.ID)
	require.Equal(t, job.Failed, j.Status)
	require.Equal(t, job.Counts{Created: 15, Errored: 5}, j.Progress.Counts)
	require.Equal(t, 2, j.Progress.ChunksDone)
	require.Equal(t, 15, r.countUsers(t), "what was written stays")
}

func TestImportWithinErrorLimitContinues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit job.ErrorLimit
		wrong int
	}{"exactly as many": {"4", 4}, "a share": {"10%", 4}, "none": {"", 40}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			run := r.splitAndComplete(t, usersWithout(40, func(i int) bool { return i < c.wrong }))
			if c.limit != "" {
				r.Exec(t, `UPDATE import_jobs SET max_errors = $2 WHERE id = $1`, run.Key, string(c.limit))
			}
			r.deliver(t, 3, run.chunks)
			j := r.ReadJob(t, run.ID)
			require.Equal(t, job.Processing, j.Status)
			require.True(t, j.Progress.RowsDone())
			require.Equal(t, int64(c.wrong), j.Progress.Counts.Errored)
		})
	}
}

// However chunks meet, the counters are those of the rows, and nothing is written
// after the end.
func TestConcurrentChunksStopOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	random := newRandom(t)
	run := r.beginLimited(t, usersWithout(200, func(i int) bool { return i%5 == 0 }), "11")
	r.deliver(t, 6, shuffledTwice(random, run.chunks))
	j := r.ReadJob(t, run.ID)
	require.Equal(t, job.Failed, j.Status)
	require.Greater(t, j.Progress.Counts.Errored, int64(11))
	require.Less(t, j.Progress.ChunksDone, len(run.chunks))
	require.Equal(t, int(j.Progress.Counts.Created), r.countUsers(t))
	ended := slices.DeleteFunc(slices.Clone(r.transitions), func(m string) bool { return m != "PROCESSING to FAILED" })
	require.Len(t, ended, 1)
}
