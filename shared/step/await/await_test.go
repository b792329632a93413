package await_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/await"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// harness holds the step and records its calls in order: "token", "look", "completed".
type harness struct {
	*postgrestest.Database
	step       *await.Step
	calls      []string
	onSave     func() error // called while the token is saved
	onComplete func() error // called when the task is completed
}

func setup(t *testing.T) *harness {
	t.Helper()
	nothing := func() error { return nil }
	w := &harness{Database: postgrestest.Setup(t), onSave: nothing, onComplete: nothing}
	w.step = await.New(recordingDB{w.DB, w}, w, w, catalog.New(), telemetry.NewTransitions(telemetry.NewLogger(io.Discard, slog.LevelError), telemetry.NewMetrics(io.Discard)))
	return w
}

// recordingDB is the database; it records each read of a job.
type recordingDB struct {
	*postgres.DB
	harness *harness
}

func (l recordingDB) Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error) {
	l.harness.calls = append(l.harness.calls, "look")
	return l.DB.Job(ctx, tx, id)
}

func (w *harness) SaveToken(_ context.Context, _ job.ID, phase job.Phase, token string) error {
	w.calls = append(w.calls, "token "+token+" of "+string(phase))
	return w.onSave()
}

func (w *harness) CompleteToken(_ context.Context, token, next string) error {
	w.calls = append(w.calls, "completed "+token+" "+next)
	return w.onComplete()
}

func input(j *job.Job, phase job.Phase) await.Input {
	return await.Input{Ref: job.Ref{JobID: j.ID, OrganisationID: 1}, Phase: phase, TaskToken: "T"}
}

func TestStateWaitsForItsCondition(t *testing.T) {
	t.Parallel()
	const terminal = ", completed_at = now()"
	for name, c := range map[string]struct {
		phase     job.Phase
		row       string
		completed string // "" if the state waits
	}{
		"column questions open":                          {job.PhaseColumns, "status = 'COLUMN_MAPPING'", ""},
		"column questions, reanalysis requested":         {job.PhaseColumns, "status = 'UPLOADED'", "ANALYZE"},
		"value questions, reanalysis requested":          {job.PhaseCells, "status = 'UPLOADED'", "ANALYZE"},
		"column questions confirmed":                     {job.PhaseColumns, "status = 'CELL_MAPPING'", "CELL_MAPPING"},
		"column questions confirmed, no value questions": {job.PhaseColumns, "status = 'PROCESSING'", "CELL_MAPPING"},
		"column questions, job cancelled":                {job.PhaseColumns, "status = 'CANCELLED'" + terminal, "CELL_MAPPING"},
		"value questions open":                           {job.PhaseCells, "status = 'CELL_MAPPING'", ""},
		"value questions confirmed":                      {job.PhaseCells, "status = 'PROCESSING'", "COMPLETE"},
		"value questions, job cancelled":                 {job.PhaseCells, "status = 'CANCELLED'" + terminal, "COMPLETE"},
		"rows, file still being split":                   {job.PhaseRows, "status = 'PROCESSING', chunk_total = 0, chunks_done = 2", ""},
		"rows, one chunk not done":                       {job.PhaseRows, "status = 'PROCESSING', split_complete = true, chunk_total = 3, chunks_done = 2", ""},
		"rows, all chunks done":                          {job.PhaseRows, "status = 'PROCESSING', split_complete = true, chunk_total = 3, chunks_done = 3", "COMPLETE"},
		"rows, file without rows":                        {job.PhaseRows, "status = 'PROCESSING', split_complete = true", "COMPLETE"},
		"rows of a plan, all chunks done":                {job.PhaseRows, "status = 'PROCESSING', plan = true, split_complete = true, chunk_total = 3, chunks_done = 3", "APPROVAL"},
		"approval, job cancelled":                        {job.PhaseApproval, "plan = true, status = 'CANCELLED'" + terminal, "APPLY"},
		"rows, all chunks done, values unresolved":       {job.PhaseRows, "status = 'CELL_MAPPING', split_complete = true, chunk_total = 3, chunks_done = 3, deferred_count = 1", "CELL_MAPPING"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			j := w.AddJob(t, c.row+", callback_pending = true")
			require.NoError(t, w.step.Run(t.Context(), input(j, c.phase)))
			did := []string{"token T of " + string(c.phase), "look"}
			if c.completed != "" {
				did = append(did, "completed T "+c.completed)
			}
			require.Equal(t, did, w.calls)
			sent := c.completed != "" && c.phase == job.PhaseRows
			require.Equal(t, !sent, w.ReadJob(t, j.ID).Progress.CallbackPending)
		})
	}
}

// The last chunk is committed while the token is being saved, so the committer finds no token.
// The check that follows must see the commit.
func TestCommitDuringTokenSaveIsSeen(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.AddJob(t, "status = 'PROCESSING', split_complete = true, chunk_total = 1")
	w.onSave = func() error {
		return w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			_, ok, err := w.DB.AddProgress(t.Context(), tx, j.Key, job.Counts{Created: 1}, 1)
			require.True(t, ok)
			return err
		})
	}
	require.NoError(t, w.step.Run(t.Context(), input(j, job.PhaseRows)))
	require.Equal(t, []string{"token T of ROWS", "look", "completed T COMPLETE"}, w.calls)
	require.False(t, w.ReadJob(t, j.ID).Progress.CallbackPending)
}

func TestNoCallbackWithoutSavedToken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.AddJob(t, "status = 'PROCESSING', split_complete = true")
	lost := errors.New("the table is gone")
	w.onSave = func() error { return lost }
	require.ErrorIs(t, w.step.Run(t.Context(), input(j, job.PhaseRows)), lost)
	require.Equal(t, []string{"token T of ROWS"}, w.calls)
}

func TestFailedCallbackStaysPending(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.AddJob(t, "status = 'PROCESSING', split_complete = true, callback_pending = true")
	lost := errors.New("the workflow is gone")
	w.onComplete = func() error { return lost }
	require.ErrorIs(t, w.step.Run(t.Context(), input(j, job.PhaseRows)), lost)
	require.True(t, w.ReadJob(t, j.ID).Progress.CallbackPending)
}

func TestForeignJobIsNotFound(t *testing.T) {
	t.Parallel()
	w := setup(t)
	in := input(w.AddJob(t, "status = 'PROCESSING', split_complete = true"), job.PhaseRows)
	in.OrganisationID = 2
	require.Equal(t, problem.NotFound, problem.CodeOf(w.step.Run(t.Context(), in)))
}
