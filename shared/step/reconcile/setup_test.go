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

// world is a database, and all else around the step: what reconcile asks it is
// answered by the funcs, and what it does is noted.
type world struct {
	*postgrestest.Database
	step         *reconcile.Step
	log, metrics *bytes.Buffer

	size   func(key string) (int64, error)
	status func(id job.ID) (job.ExecutionStatus, error)
	stop   func(id job.ID) error
	tell   func(id job.ID, phase job.Phase) (bool, error)

	asked, started, stopped []job.ID
	told, moves             []string
}

// setup returns a world with no file, where every execution runs and nobody
// waits for a decision.
func setup(t *testing.T, limit int) *world {
	t.Helper()
	w := &world{Database: postgrestest.Setup(t), log: &bytes.Buffer{}, metrics: &bytes.Buffer{}}
	w.size = func(string) (int64, error) { return 0, problem.New(problem.UploadMissing, "missing") }
	w.status = func(job.ID) (job.ExecutionStatus, error) { return job.ExecutionRunning, nil }
	w.stop = func(job.ID) error { return nil }
	w.tell = func(job.ID, job.Phase) (bool, error) { return false, nil }
	var err error
	w.step, err = reconcile.New(w.Maintenance, w, w, w, w, telemetry.NewMetrics(w.metrics),
		reconcile.Config{Idle: 5 * time.Second, Stuck: 15 * time.Minute, Limit: limit}, telemetry.NewLogger(w.log, slog.LevelInfo))
	require.NoError(t, err)
	return w
}

func (w *world) Head(_ context.Context, key string) (object.Info, error) {
	size, err := w.size(key)
	return object.Info{Size: size, ETag: `"e1"`}, err
}

func (w *world) Start(_ context.Context, ref job.Ref) error {
	w.started = append(w.started, ref.JobID)
	return nil
}

func (w *world) Status(_ context.Context, id job.ID) (job.ExecutionStatus, error) {
	w.asked = append(w.asked, id)
	return w.status(id)
}

func (w *world) Stop(_ context.Context, id job.ID, _ string) error {
	w.stopped = append(w.stopped, id)
	return w.stop(id)
}

func (w *world) CompleteIfDue(ctx context.Context, id job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (bool, error) {
	j, err := look(ctx)
	if err != nil {
		return false, err
	}
	next, due := callback.Due(j, phase)
	if !due {
		return false, nil
	}
	w.told = append(w.told, string(phase)+" "+next)
	return w.tell(id, phase)
}

func (w *world) Record(_ context.Context, _ *job.Job, from, to job.Status) {
	w.moves = append(w.moves, string(from)+" "+string(to))
}

// executions returns one status for all jobs.
func (w *world) executions(status job.ExecutionStatus) {
	w.status = func(job.ID) (job.ExecutionStatus, error) { return status, nil }
}

// idle adds a job to which nothing has happened for a minute.
func (w *world) idle(t *testing.T, assignments string) *job.Job {
	t.Helper()
	return w.AddJob(t, "updated_at = now() - interval '1 minute', "+assignments)
}
