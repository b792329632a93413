package process_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// usersWithout returns a file of users in chunks of ten; some of its rows lack an address.
func usersWithout(rows int, lacking func(i int) bool) importFile {
	f := importFile{mode: rowwrite.Insert, fields: []string{"EMAIL", "NAME"}, chunkRows: 10}
	for i := range rows {
		address := fmt.Sprintf("u%d@example.org", i)
		if lacking(i) {
			address = "nobody"
		}
		f.rows = append(f.rows, []string{address, fmt.Sprintf("U %d", i)})
	}
	return f
}

// beginLimited begins an import with this error limit.
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

// A completely wrong file leaves nothing behind except its row errors.
func TestChunkOverErrorLimitIsNotWritten(t *testing.T) {
	t.Parallel()
	r := setup(t)
	run := r.beginLimited(t, usersWithout(40, func(i int) bool { return i%2 == 0 }), "3")
	r.deliver(t, 1, run.chunks)
	r.deliver(t, 1, run.chunks[:2]) // delivered again
	j := r.ReadJob(t, run.ID)
	require.Equal(t, job.Failed, j.Status)
	require.Equal(t, "TOO_MANY_ERRORS", j.Failure.Code)
	require.Equal(t, "5 of 40 rows have errors, and the limit is 3. 35 rows were not imported.", j.Failure.Message)
	require.Equal(t, job.Counts{Errored: 5}, j.Progress.Counts)
	require.Zero(t, j.Progress.ChunksDone)
	require.Zero(t, r.countUsers(t))
	require.Equal(t, []string{"ERROR CELL_EMAIL", "ERROR CELL_EMAIL", "ERROR CELL_EMAIL", "ERROR CELL_EMAIL", "ERROR CELL_EMAIL"}, r.setOutcomes(t, run), "each row's error is reported")
	require.Equal(t, []string{"PROCESSING to FAILED"}, r.transitions)
	require.Equal(t, 1, postgrestest.Query[int](t, r.Database, `SELECT count(*) FROM job_events WHERE status = 'FAILED'`))
}

// setOutcomes returns the outcomes of the decided rows.
func (r *harness) setOutcomes(t *testing.T, run *splitImport) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, r.Database, `
		SELECT array_agg(CASE outcome WHEN 'E' THEN 'ERROR ' ELSE '' END || (faults -> 0 ->> 'code') ORDER BY row_number)
		FROM import_row_results WHERE job_id = `+fmt.Sprint(int64(run.Key)))
}

// Errors that occur only while writing are counted chunk by chunk.
func TestChunkOverErrorLimitIsLast(t *testing.T) {
	t.Parallel()
	r := setup(t)
	f := usersWithout(40, func(int) bool { return false })
	for i := 15; i < 20; i++ {
		f.rows[i][0] = fmt.Sprintf("u%d@example.org", i-15) // the address of another row
	}
	run := r.beginLimited(t, f, "10%")
	r.deliver(t, 1, run.chunks)
	j := r.ReadJob(t, run.ID)
	require.Equal(t, job.Failed, j.Status)
	require.Equal(t, job.Counts{Created: 15, Errored: 5}, j.Progress.Counts)
	require.Equal(t, 2, j.Progress.ChunksDone)
	require.Equal(t, 15, r.countUsers(t), "written chunks are kept")
}

func TestImportWithinErrorLimitContinues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit job.ErrorLimit
		wrong int
	}{"exactly at the limit": {"4", 4}, "a share": {"10%", 4}, "none": {"", 40}} {
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

// For any interleaving of chunks, the counters match the rows, and nothing is written after the
// end.
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
