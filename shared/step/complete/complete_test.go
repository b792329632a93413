package complete_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/complete"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// harness holds the step, its log and metrics, and the status changes that it reported.
type harness struct {
	*postgrestest.Database
	step         *complete.Step
	log, metrics *bytes.Buffer
	mu           sync.Mutex
	moves        []string
}

func setup(t *testing.T) *harness {
	t.Helper()
	w := &harness{Database: postgrestest.Setup(t), log: &bytes.Buffer{}, metrics: &bytes.Buffer{}}
	w.step = complete.New(w.DB, catalog.New(), w, telemetry.NewMetrics(w.metrics), telemetry.NewLogger(w.log, slog.LevelInfo))
	return w
}

func (w *harness) Record(_ context.Context, _ *job.Job, from, to job.Status) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moves = append(w.moves, string(from)+" "+string(to))
}

func (w *harness) complete(t *testing.T, j *job.Job) error {
	t.Helper()
	return w.step.Run(t.Context(), job.Ref{JobID: j.ID, OrganisationID: 1})
}

// done is a job of 10 lines: a header, a blank line, 7 successes and 1 error.
const done = `status = 'PROCESSING', started_at = now() - interval '10 seconds', split_complete = true, chunk_total = 2, chunks_done = 2, total_rows = 8,
	file_lines = 10, header_lines = 1, blank_lines = 1, created_count = 4, updated_count = 2, skipped_count = 1, error_count = 1`

func TestJobIsCompletedOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.AddJob(t, done)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := w.complete(t, j); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	first := w.ReadJob(t, j.ID)
	require.Equal(t, job.Completed, first.Status)
	require.NotNil(t, first.CompletedAt)
	require.NoError(t, w.complete(t, j))
	require.Equal(t, first, w.ReadJob(t, j.ID))
	require.Equal(t, []string{"PROCESSING COMPLETED"}, w.moves)
	require.Equal(t, 1, bytes.Count(w.log.Bytes(), []byte(`"import completed"`)))
	require.Contains(t, w.log.String(), `"successful_records":6`)
	require.Contains(t, w.log.String(), `"skipped_records":1`)
	require.Contains(t, w.log.String(), `"failed_records":1`)
	require.Contains(t, w.log.String(), `"batch_count":2`)
	require.Contains(t, w.log.String(), j.RequestID)
	require.Empty(t, w.metrics.String())
}

func TestJobWithOpenRowsIsNotCompleted(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"chunk not done":                      "chunks_done = 1",
		"file still being split":              "split_complete = false",
		"deferred rows":                       "deferred_count = 1",
		"deferred rows, value questions open": "status = 'CELL_MAPPING', deferred_count = 1",
		"job not started":                     "status = 'UPLOADED'",
		"job cancelled":                       "status = 'CANCELLED', completed_at = now()",
		"job failed":                          "status = 'FAILED', completed_at = now()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			j := w.AddJob(t, done)
			w.Exec(t, `UPDATE import_jobs SET `+change)
			before := w.ReadJob(t, j.ID)
			require.Equal(t, problem.StateConflict, problem.CodeOf(w.complete(t, j)))
			require.Equal(t, before, w.ReadJob(t, j.ID))
			require.Empty(t, w.moves)
		})
	}
}

func TestUnreconciledLinesAreReported(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"one line not counted":   "file_lines = 11",
		"one line counted twice": "file_lines = 9",
		"one outcome lost":       "created_count = 3",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			j := w.AddJob(t, done)
			w.Exec(t, `UPDATE import_jobs SET `+change)
			require.NoError(t, w.complete(t, j))
			require.Equal(t, job.Completed, w.ReadJob(t, j.ID).Status)
			require.Contains(t, w.log.String(), `"level":"WARN","msg":"line counts do not match"`)
			require.Contains(t, w.metrics.String(), `"import.invariant.violations":1`)
		})
	}
}

func TestHighErrorRateIsWarned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row  string
		warn bool
	}{
		"a tenth":                  {"created_count = 9, updated_count = 0, skipped_count = 0, error_count = 1, file_lines = 12", false},
		"error rate above a tenth": {"created_count = 8, updated_count = 0, skipped_count = 0, error_count = 1, file_lines = 11", true},
		"no rows":                  {"created_count = 0, updated_count = 0, skipped_count = 0, error_count = 0, file_lines = 2", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			j := w.AddJob(t, done)
			w.Exec(t, `UPDATE import_jobs SET `+c.row)
			require.NoError(t, w.complete(t, j))
			require.Equal(t, c.warn, bytes.Contains(w.log.Bytes(), []byte(`"high error rate"`)), w.log.String())
			require.Empty(t, w.metrics.String())
		})
	}
}

func TestJobOverErrorLimitIsNotCompleted(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for limit, completes := range map[string]bool{"0": false, "1": true, "10%": false, "12.5%": true} {
		j := w.AddJob(t, done+`, max_errors = '`+limit+`'`)
		err := w.complete(t, j)
		if completes {
			require.NoError(t, err, limit)
			continue
		}
		require.Equal(t, problem.TooManyErrors, problem.CodeOf(err), limit)
		require.Equal(t, job.Processing, w.ReadJob(t, j.ID).Status, "the error fails the execution, which then fails the job")
	}
}
