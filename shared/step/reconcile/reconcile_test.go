package reconcile_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/step/reconcile"
)

const lastChunkDone = "status = 'PROCESSING', split_complete = true, chunk_total = 2, chunks_done = 2, callback_pending = true"

func TestUnsentCallbackIsSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row       string
		completed []string
	}{
		"last chunk done":                {lastChunkDone, []string{"COLUMN_MAPPING CELL_MAPPING", "CELL_MAPPING COMPLETE", "ROWS COMPLETE"}},
		"last chunk done, rows deferred": {"status = 'CELL_MAPPING', split_complete = true, chunk_total = 2, chunks_done = 2, deferred_count = 1, callback_pending = true", []string{"COLUMN_MAPPING CELL_MAPPING", "ROWS CELL_MAPPING"}},
		"columns confirmed":              {"status = 'CELL_MAPPING'", []string{"COLUMN_MAPPING CELL_MAPPING"}},
		"values confirmed":               {"status = 'PROCESSING'", []string{"COLUMN_MAPPING CELL_MAPPING", "CELL_MAPPING COMPLETE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, 10)
			w.onComplete = func(job.ID, job.Phase) (bool, error) { return true, nil }
			j := w.addIdle(t, c.row)
			require.NoError(t, w.step.Run(t.Context()))
			require.Equal(t, c.completed, w.completed)
			after := w.ReadJob(t, j.ID)
			require.Equal(t, j.Status, after.Status)
			require.False(t, after.Progress.CallbackPending)
		})
	}
}

// Callbacks are promised within a minute, which is the interval of this function.
func TestPendingCallbackIsSentAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	w.onComplete = func(job.ID, job.Phase) (bool, error) { return true, nil }
	j := w.AddJob(t, lastChunkDone)
	require.NoError(t, w.step.Run(t.Context()))
	require.Contains(t, w.completed, "ROWS COMPLETE")
	require.False(t, w.ReadJob(t, j.ID).Progress.CallbackPending)
}

func TestCallbackWithoutTokenStaysPending(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	j := w.addIdle(t, lastChunkDone)
	require.NoError(t, w.step.Run(t.Context()))
	require.True(t, w.ReadJob(t, j.ID).Progress.CallbackPending)
}

func TestWaitingJobIsUnchanged(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	j := w.addIdle(t, "status = 'COLUMN_MAPPING'")
	require.NoError(t, w.step.Run(t.Context()))
	require.Empty(t, w.completed)
	require.Equal(t, j, w.ReadJob(t, j.ID), "the job is unchanged, as its retention counts from its last update")
}

func TestUploadedImportIsStarted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row    string // the announced size is one byte
		size   int64
		starts bool
		code   string
	}{
		"size as announced":                  {"status = 'UPLOADED'", 1, true, ""},
		"size differs from the announcement": {"status = 'UPLOADED'", 42, false, "SIZE_MISMATCH"},
		"already seen":                       {"status = 'UPLOADED', uploaded_at = now()", 42, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, 10)
			w.executions(job.ExecutionAbsent)
			j := w.addIdle(t, c.row)
			w.size = func(key string) (int64, error) {
				require.Equal(t, j.ObjectKey, key)
				return c.size, nil
			}
			require.NoError(t, w.step.Run(t.Context()))
			after := w.ReadJob(t, j.ID)
			if c.starts {
				require.Equal(t, []job.ID{j.ID}, w.started)
				require.Equal(t, job.Uploaded, after.Status)
				require.Equal(t, c.size, after.SizeBytes)
				require.NotNil(t, after.UploadedAt)
				return
			}
			require.Empty(t, w.started)
			require.Equal(t, job.Failed, after.Status)
			require.Equal(t, c.code, after.Failure.Code)
		})
	}
}

func TestImportWaitsForUpload(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	w.executions(job.ExecutionAbsent)
	j := w.addIdle(t, "status = 'UPLOADED'")
	require.NoError(t, w.step.Run(t.Context()))
	require.Empty(t, w.started)
	require.Equal(t, j, w.ReadJob(t, j.ID))
}

func TestOrphanedJobFails(t *testing.T) {
	t.Parallel()
	for _, execution := range []job.ExecutionStatus{"FAILED", "ABORTED", "TIMED_OUT", "SUCCEEDED", job.ExecutionAbsent} {
		for _, status := range []job.Status{job.Uploaded, job.ColumnMapping, job.CellMapping, job.Processing} {
			if execution == job.ExecutionAbsent && status == job.Uploaded {
				continue // not started yet
			}
			t.Run(fmt.Sprintf("%s, job %s", execution, status), func(t *testing.T) {
				t.Parallel()
				w := setup(t, 10)
				w.executions(execution)
				j := w.addIdle(t, "status = '"+string(status)+"'")
				require.NoError(t, w.step.Run(t.Context()))
				after := w.ReadJob(t, j.ID)
				require.Equal(t, job.Failed, after.Status)
				require.Equal(t, "STUCK", after.Failure.Code)
				require.NotEmpty(t, after.Failure.Message)
				require.Equal(t, []string{string(status) + " FAILED"}, w.transitions)
				require.Contains(t, w.log.String(), j.RequestID)
				require.NoError(t, w.step.Run(t.Context()))
				require.Len(t, w.transitions, 1)
			})
		}
	}
}

func TestConcurrentJobEndIsKept(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	j := w.addIdle(t, lastChunkDone)
	w.status = func(job.ID) (job.ExecutionStatus, error) {
		w.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', completed_at = now()`)
		return "SUCCEEDED", nil
	}
	require.NoError(t, w.step.Run(t.Context()))
	after := w.ReadJob(t, j.ID)
	require.Equal(t, job.Completed, after.Status)
	require.Nil(t, after.Failure)
	require.Empty(t, w.transitions)
}

func TestExecutionOfEndedJobIsStopped(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	cancelled := w.AddJob(t, "status = 'CANCELLED', completed_at = now() - interval '1 minute'")
	failed := w.AddJob(t, "status = 'FAILED', completed_at = now() - interval '1 hour'")
	w.AddJob(t, "status = 'COMPLETED', completed_at = now() - interval '1 minute'")
	w.AddJob(t, "status = 'CANCELLED', completed_at = now() - interval '2 days'")
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, []job.ID{failed.ID, cancelled.ID}, w.stopped)
	require.NoError(t, w.step.Run(t.Context()), "each job is reconciled once")
	require.Len(t, w.statusChecks, 2)
}

func TestFailedExecutionStopIsRetried(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	j := w.AddJob(t, "status = 'CANCELLED', completed_at = now()")
	w.stop = func(job.ID) error { return errors.New("throttled") }
	require.ErrorContains(t, w.step.Run(t.Context()), "throttled")
	w.stop = func(job.ID) error { return nil }
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, []job.ID{j.ID, j.ID}, w.stopped)
}

// TestCancelDuringReconcileIsRevisited: the cancelling process may have died before it stopped
// the execution.
func TestCancelDuringReconcileIsRevisited(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	j := w.addIdle(t, "status = 'PROCESSING', uploaded_at = now()")
	w.status = func(job.ID) (job.ExecutionStatus, error) {
		w.Exec(t, `UPDATE import_jobs SET status = 'CANCELLED', completed_at = coalesce(completed_at, now()) WHERE id = $1`, j.Key)
		return job.ExecutionRunning, nil
	}
	require.NoError(t, w.step.Run(t.Context()))
	require.Empty(t, w.stopped, "the job was still processing when it was selected")
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, []job.ID{j.ID}, w.stopped)
}

// TestChunkEndDuringReconcileIsRevisited: the end of a chunk is recorded with the time at which
// the chunk began.
func TestChunkEndDuringReconcileIsRevisited(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	j := w.addIdle(t, "status = 'PROCESSING', uploaded_at = now()")
	require.NoError(t, w.DB.InOrganisation(t.Context(), j.OrganisationID, func(tx pgx.Tx) error {
		require.NoError(t, w.step.Run(t.Context()))
		_, ended, err := w.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.Failed, ExpectedFrom: job.Processing, Failure: &job.Failure{Code: "TOO_MANY_ERRORS"}})
		require.True(t, ended)
		return err
	}))
	require.Empty(t, w.stopped)
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, []job.ID{j.ID}, w.stopped)
	require.NoError(t, w.step.Run(t.Context()), "the job is reconciled once")
	require.Len(t, w.stopped, 1)
}

func TestStuckJobIsReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row   string
		stuck bool
	}{
		"processing for 16 minutes":       {"status = 'PROCESSING', updated_at = now() - interval '16 minutes'", true},
		"processing for 14 minutes":       {"status = 'PROCESSING', updated_at = now() - interval '14 minutes'", false},
		"waiting for a person for a week": {"status = 'CELL_MAPPING', updated_at = now() - interval '7 days'", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, 10)
			j := w.AddJob(t, c.row)
			require.NoError(t, w.step.Run(t.Context()))
			if c.stuck {
				require.Contains(t, w.metrics.String(), `"import.stuck":1`)
				require.Contains(t, w.log.String(), `"level":"ERROR","msg":"import is stuck"`)
			} else {
				require.NotContains(t, w.metrics.String(), "import.stuck")
			}
			require.Equal(t, j, w.ReadJob(t, j.ID))
		})
	}
}

func TestActiveJobIsSkipped(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	w.AddJob(t, "status = 'PROCESSING', updated_at = now()")
	w.AddJob(t, "status = 'COMPLETED', completed_at = now(), updated_at = now() - interval '1 hour'")
	require.NoError(t, w.step.Run(t.Context()))
	require.Empty(t, w.statusChecks)
}

// Pending callbacks come first, then the jobs that were checked longest ago. So each job has its
// turn, even if one run checks only a few.
func TestEveryJobIsReconciledInTurn(t *testing.T) {
	t.Parallel()
	w := setup(t, 2)
	var waiting []job.ID
	for range 4 {
		waiting = append(waiting, w.addIdle(t, "status = 'COLUMN_MAPPING'").ID)
	}
	pending := w.addIdle(t, lastChunkDone).ID
	w.onComplete = func(job.ID, job.Phase) (bool, error) { return true, nil }
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, pending, w.statusChecks[0])
	require.Len(t, w.statusChecks, 2)
	w.Exec(t, `DELETE FROM import_jobs WHERE status = 'PROCESSING'`)
	for range 2 {
		require.NoError(t, w.step.Run(t.Context()))
	}
	require.ElementsMatch(t, waiting, unique(w.statusChecks[1:]))
}

// Jobs that fail their check must not block the others, even if they fill a whole run.
func TestFailingJobsDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	w := setup(t, 2)
	broken := map[job.ID]bool{}
	for range 2 {
		broken[w.addIdle(t, "status = 'PROCESSING', reconciled_at = now() - interval '1 hour'").ID] = true
	}
	sound := w.addIdle(t, "status = 'PROCESSING', reconciled_at = now() - interval '1 minute'").ID
	w.status = func(id job.ID) (job.ExecutionStatus, error) {
		if broken[id] {
			return "", errors.New("throttled")
		}
		return job.ExecutionRunning, nil
	}
	require.ErrorContains(t, w.step.Run(t.Context()), "throttled")
	require.NotContains(t, w.statusChecks, sound)
	require.Error(t, w.step.Run(t.Context()))
	require.Contains(t, w.statusChecks, sound)
}

func TestJobErrorDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	first := w.addIdle(t, "status = 'PROCESSING', reconciled_at = now() - interval '1 hour'")
	second := w.addIdle(t, lastChunkDone+", reconciled_at = now()")
	third := w.AddJob(t, "status = 'CANCELLED', completed_at = now()")
	w.onComplete = func(id job.ID, _ job.Phase) (bool, error) {
		if id == first.ID {
			return false, errors.New("throttled")
		}
		return true, nil
	}
	require.ErrorContains(t, w.step.Run(t.Context()), string(first.ID))
	require.False(t, w.ReadJob(t, second.ID).Progress.CallbackPending)
	require.Equal(t, []job.ID{third.ID}, w.stopped)
}

func TestInvalidConfigIsRejected(t *testing.T) {
	t.Parallel()
	good := reconcile.Config{Idle: time.Second, Stuck: time.Minute, Limit: 1}
	for name, change := range map[string]func(*reconcile.Config){
		"limit": func(c *reconcile.Config) { c.Limit = 0 },
		"idle":  func(c *reconcile.Config) { c.Idle = 0 },
		"stuck threshold not above the idle threshold": func(c *reconcile.Config) { c.Stuck = c.Idle },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := good
			change(&c)
			_, err := reconcile.New(nil, nil, nil, nil, nil, nil, c, slog.New(slog.DiscardHandler))
			require.Error(t, err)
		})
	}
}

// unique returns the distinct ids.
func unique(ids []job.ID) []job.ID {
	var once []job.ID
	seen := map[job.ID]bool{}
	for _, id := range ids {
		if !seen[id] {
			once = append(once, id)
		}
		seen[id] = true
	}
	return once
}

func TestWaitingJobsAreCounted(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	w.addIdle(t, "status = 'COLUMN_MAPPING'")
	w.addIdle(t, "status = 'CELL_MAPPING'")
	w.addIdle(t, "status = 'PROCESSING'")
	require.NoError(t, w.step.Run(t.Context()))
	require.Contains(t, w.metrics.String(), `"import.jobs.waiting":2,"importType":"USER"`)
}

// Between the query for jobs and the check of a job, its last chunk deferred a row and the
// execution started to wait for a person. That wait must not be ended.
func TestOutdatedCallbackIsNotSent(t *testing.T) {
	t.Parallel()
	w := setup(t, 10)
	j := w.addIdle(t, "status = 'PROCESSING', split_complete = true, chunk_total = 1")
	w.status = func(job.ID) (job.ExecutionStatus, error) {
		w.Exec(t, `UPDATE import_jobs SET status = 'CELL_MAPPING', chunks_done = 1, deferred_count = 1`)
		return job.ExecutionRunning, nil
	}
	require.NoError(t, w.step.Run(t.Context()))
	require.Equal(t, []string{"COLUMN_MAPPING CELL_MAPPING"}, w.completed)
	require.Equal(t, job.CellMapping, w.ReadJob(t, j.ID).Status)
}
