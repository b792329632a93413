package step_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/postgres"
)

// requireReconciled requires that the counts of a completed import add up and that the metrics
// count each of its rows once.
func (e *engine) requireReconciled(t *testing.T, ref job.Ref, want job.Counts) {
	t.Helper()
	j := e.job(t, ref)
	require.Equal(t, job.Completed, j.Status)
	p := j.Progress
	want.Blank = p.BlankLines
	require.Equal(t, want, p.Counts)
	require.Equal(t, want.Created+want.Updated+want.Unchanged, p.Counts.Success(), "skipped rows do not count as successful")
	require.Equal(t, p.FileLines, p.Counts.Success()+p.Counts.Skipped+p.Counts.Errored+p.BlankLines+p.HeaderLines)
	require.Equal(t, p.TotalRows, p.Counts.Success()+p.Counts.Skipped+p.Counts.Errored)
	counted := make(map[string]int64)
	for line := range bytes.Lines(e.metrics.Bytes()) {
		var metric struct {
			Rows    int64  `json:"import.rows"`
			Outcome string `json:"outcome"`
			Type    string `json:"importType"`
		}
		require.NoError(t, json.Unmarshal(line, &metric))
		if metric.Rows > 0 {
			require.Equal(t, j.ImportType, metric.Type)
			counted[metric.Outcome] += metric.Rows
		}
	}
	for outcome, n := range map[rowwrite.Outcome]int64{rowwrite.Created: want.Created, rowwrite.Updated: want.Updated, rowwrite.Unchanged: want.Unchanged, rowwrite.Skipped: want.Skipped, rowwrite.Errored: want.Errored} {
		require.Equal(t, n, counted[outcome.String()], "metric of the rows that are %s", outcome)
	}
	e.metrics.Reset()
}

// TestLineCountsReconcile checks the counts for every outcome, in whichever step it is decided.
func TestLineCountsReconcile(t *testing.T) {
	t.Parallel()
	t.Run("created, updated, unchanged and failed rows", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 2)
		e.requireReconciled(t, e.runRows(t, "USER", users, nil), job.Counts{Created: 2, Errored: 4})
		e.requireReconciled(t, e.runRows(t, "USER", users, func(j *job.Job) { j.Mode = rowwrite.Upsert }), job.Counts{Updated: 2, Unchanged: 1, Errored: 3})
	})
	t.Run("skipped rows", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 2)
		e.runRows(t, "MEMBERSHIP", roster, member)
		e.metrics.Reset()
		e.requireReconciled(t, e.runRows(t, "MEMBERSHIP", roster, member), job.Counts{Skipped: 3, Errored: 2})
	})
	t.Run("chunks in the dead-letter queue", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 3)
		ref := e.create(t, "USER", "users.csv", users, nil)
		e.prepare(t, ref)
		e.failFirstChunk(t, ref)
		e.requireReconciled(t, ref, job.Counts{Created: 2, Errored: 4})
	})
	t.Run("whole file in parts", func(t *testing.T) {
		t.Parallel()
		e := setupEvent(t)
		ref := e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`)
		e.runWhole(t, ref, 2)
		c := e.job(t, ref).Progress.Counts
		require.Positive(t, c.Created)
		require.Positive(t, c.Errored)
		e.requireReconciled(t, ref, c)
	})
}

// runRows imports a file row by row to its end.
func (e *engine) runRows(t *testing.T, importType, file string, change func(*job.Job)) job.Ref {
	t.Helper()
	ref := e.create(t, importType, "file.csv", file, change)
	e.prepare(t, ref)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	return ref
}

// TestStoppedBatchHasReasonAndNoTotal: a total would be incomplete.
func TestStoppedBatchHasReasonAndNoTotal(t *testing.T) {
	t.Parallel()
	for _, status := range []job.Status{job.Cancelled, job.Failed} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			e := setup(t, 2)
			ref, err := e.batch(t, orderHeader+orderLine("a", 1)+orderLine("b", 1)+orderLine("c", 1)+orderLine("d", 1), nil)
			require.NoError(t, err)
			e.prepare(t, ref)
			require.NoError(t, e.process.Run(t.Context(), e.queued[0]))
			b := e.readBatch(t, ref)
			require.Equal(t, job.BatchProcessing, b.Status)
			require.Equal(t, int64(4), *b.TotalRows)
			var failure *job.Failure
			if status == job.Failed {
				failure = &job.Failure{Code: "STUCK", Message: "It does not go on."}
			}
			require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				_, ok, err := e.DB.Transition(t.Context(), tx, e.job(t, ref).Key, job.Transition{To: status, Failure: failure})
				require.True(t, ok)
				return err
			}))
			b = e.readBatch(t, ref)
			require.Equal(t, job.BatchFailed, b.Status)
			require.Nil(t, b.TotalRows)
			require.Equal(t, int64(2), b.Created, "the batch reports the created rows")
			require.NotNil(t, b.Failure)
			require.Equal(t, map[job.Status]string{job.Cancelled: "CANCELLED", job.Failed: "STUCK"}[status], b.Failure.Code)
			require.NotEmpty(t, b.Failure.Message)
		})
	}
}

// readBatch returns the batch of a job.
func (e *engine) readBatch(t *testing.T, ref job.Ref) *job.Batch {
	t.Helper()
	var b *job.Batch
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
		b, err = e.DB.Batch(t.Context(), tx, postgres.BatchFilter{ImportType: "ORDER", JobID: ref.JobID})
		return err
	}))
	return b
}

// TestStoppedImportLogsItsCounts: the log of an import that exceeds its error limit has the counts of
// the API.
func TestStoppedImportLogsItsCounts(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	ref := e.create(t, "USER", "users.csv", "Email,Name\na@x.org,Ann\nb@x.org,Bea\nwrong,Cid\nwrong,Dan\ne@x.org,Eve\nf@x.org,Fay\n", func(j *job.Job) { j.MaxErrors = "1" })
	e.prepare(t, ref)
	e.drain(t, false)
	j := e.job(t, ref)
	require.Equal(t, job.Failed, j.Status)
	require.Equal(t, int64(2), j.Progress.Counts.Errored)
	require.Contains(t, e.log.String(), fmt.Sprintf(`"to":"FAILED","success_count":%d,"unchanged_count":0,"skipped_count":0,"error_count":2,"unprocessed_count":%d`,
		j.Progress.Counts.Success(), j.Progress.Unprocessed()))
}
