package reconcile_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/reconcile"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// harness holds a database and fakes of the step's other dependencies: the funcs return the
// answers, and the calls are recorded.
type harness struct {
	*postgrestest.Database
	step         *reconcile.Step
	log, metrics *bytes.Buffer

	size       func(key string) (int64, error)
	status     func(id job.ID) (job.ExecutionStatus, error)
	stop       func(id job.ID) error
	onComplete func(id job.ID, phase job.Phase) (bool, error)

	statusChecks, started, stopped []job.ID
	completed, transitions         []string
}

// setup returns a harness without files, in which every execution runs and no job waits for a
// decision.
func setup(t *testing.T, limit int) *harness {
	t.Helper()
	w := &harness{Database: postgrestest.Setup(t), log: &bytes.Buffer{}, metrics: &bytes.Buffer{}}
	w.size = func(string) (int64, error) { return 0, problem.New(problem.UploadMissing, "missing") }
	w.status = func(job.ID) (job.ExecutionStatus, error) { return job.ExecutionRunning, nil }
	w.stop = func(job.ID) error { return nil }
	w.onComplete = func(job.ID, job.Phase) (bool, error) { return false, nil }
	var err error
	w.step, err = reconcile.New(w.Maintenance, w, w, w, w, telemetry.NewMetrics(w.metrics),
		reconcile.Config{Idle: 5 * time.Second, Stuck: 15 * time.Minute, Limit: limit}, telemetry.NewLogger(w.log, slog.LevelInfo))
	require.NoError(t, err)
	return w
}

func (w *harness) Head(_ context.Context, key string) (object.Info, error) {
	size, err := w.size(key)
	return object.Info{Size: size, ETag: `"e1"`}, err
}

func (w *harness) Start(_ context.Context, ref job.Ref) error {
	w.started = append(w.started, ref.JobID)
	return nil
}

func (w *harness) Status(_ context.Context, id job.ID) (job.ExecutionStatus, error) {
	w.statusChecks = append(w.statusChecks, id)
	return w.status(id)
}

func (w *harness) Stop(_ context.Context, id job.ID, _ string) error {
	w.stopped = append(w.stopped, id)
	return w.stop(id)
}

func (w *harness) CompleteIfDue(ctx context.Context, id job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (bool, error) {
	j, err := look(ctx)
	if err != nil {
		return false, err
	}
	next, due := callback.Due(j, phase)
	if !due {
		return false, nil
	}
	w.completed = append(w.completed, string(phase)+" "+next)
	return w.onComplete(id, phase)
}

func (w *harness) Record(_ context.Context, _ *job.Job, from, to job.Status) {
	w.transitions = append(w.transitions, string(from)+" "+string(to))
}

// executions sets the execution status of all jobs.
func (w *harness) executions(status job.ExecutionStatus) {
	w.status = func(job.ID) (job.ExecutionStatus, error) { return status, nil }
}

// addIdle adds a job that has not changed for a minute.
func (w *harness) addIdle(t *testing.T, assignments string) *job.Job {
	t.Helper()
	return w.AddJob(t, "updated_at = now() - interval '1 minute', "+assignments)
}
