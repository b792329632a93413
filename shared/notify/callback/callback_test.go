package callback_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// fakeWorkflow is a workflow with one waiting task.
type fakeWorkflow struct {
	token       string // "" if no task waits yet
	tableErr    error  // error of the token store
	workflowErr error  // error of the workflow
	completed   []any
}

func (w *fakeWorkflow) Token(context.Context, job.ID, job.Phase) (string, error) {
	return w.token, w.tableErr
}

func (w *fakeWorkflow) CompleteTask(_ context.Context, token string, result any) error {
	if token != w.token {
		return job.ErrTokenClosed
	}
	w.completed = append(w.completed, result)
	return w.workflowErr
}

var errUnreachable = errors.New("unreachable")

func TestComplete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		waiting   fakeWorkflow
		completed bool
		fails     bool
	}{
		"execution waits":             {fakeWorkflow{token: "T"}, true, false},
		"execution does not wait yet": {fakeWorkflow{}, false, false},
		"execution has moved on":      {fakeWorkflow{token: "T", workflowErr: job.ErrTokenClosed}, true, false},
		"table is unreachable":        {fakeWorkflow{token: "T", tableErr: errUnreachable}, false, true},
		"workflow is unreachable":     {fakeWorkflow{token: "T", workflowErr: errUnreachable}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			completed, err := callback.New(&c.waiting, &c.waiting).Complete(t.Context(), "job", job.PhaseRows, callback.NextComplete)
			require.Equal(t, c.completed, completed)
			if c.fails {
				require.ErrorIs(t, err, errUnreachable)
			} else {
				require.NoError(t, err)
			}
			if c.completed {
				require.Equal(t, []any{callback.Result{Next: "COMPLETE"}}, c.waiting.completed)
			} else {
				require.Empty(t, c.waiting.completed)
			}
		})
	}
}

// The token is read before the condition is checked: a completion never reaches a wait that
// began after the check.
func TestCompleteIfDueReadsTokenFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token, next string // of the current wait; of a later one
		status      job.Status
		answered    []any
		completed   bool
	}{
		"awaited status is reached":           {"T", "T", job.Processing, []any{callback.Result{Next: "COMPLETE"}}, true},
		"awaited status is not reached":       {"T", "T", job.CellMapping, nil, false},
		"execution waits for the next status": {"T", "later", job.Processing, nil, true},
		"execution did not wait":              {"", "later", job.Processing, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &fakeWorkflow{token: c.token}
			completed, err := callback.New(w, w).CompleteIfDue(t.Context(), "job", job.PhaseCells, func(context.Context) (*job.Job, error) {
				w.token = c.next
				return &job.Job{Status: c.status}, nil
			})
			require.NoError(t, err)
			require.Equal(t, c.completed, completed)
			require.Equal(t, c.answered, w.completed)
		})
	}
}

func TestCompleteIfDueWithoutToken(t *testing.T) {
	t.Parallel()
	w := &fakeWorkflow{token: "T"}
	completed, err := callback.New(w, w).CompleteIfDue(t.Context(), "job", job.PhaseCells, func(context.Context) (*job.Job, error) { return nil, errUnreachable })
	require.ErrorIs(t, err, errUnreachable)
	require.False(t, completed)
	require.Empty(t, w.completed)
}

func TestUnknownPhaseIsNeverDue(t *testing.T) {
	t.Parallel()
	_, due := callback.Due(&job.Job{Status: job.Completed, Progress: job.Progress{SplitComplete: true}}, "LUNCH")
	require.False(t, due)
}

// The callback stays pending until a completion is accepted, or permanently rejected.
func TestCompleteIfRowsDone(t *testing.T) {
	t.Parallel()
	const done = "status = 'PROCESSING', split_complete = true, chunk_total = 2, chunks_done = 2, callback_pending = true"
	for name, c := range map[string]struct {
		row     string
		waiting fakeWorkflow
		pending bool
		next    string
	}{
		"last chunk is done":                         {done, fakeWorkflow{token: "T"}, false, "COMPLETE"},
		"rows wait for a decision":                   {done + ", deferred_count = 3", fakeWorkflow{token: "T"}, false, "CELL_MAPPING"},
		"chunk is not done":                          {"status = 'PROCESSING', split_complete = true, chunk_total = 2, chunks_done = 1", fakeWorkflow{token: "T"}, false, ""},
		"file is still being split":                  {"status = 'PROCESSING', chunks_done = 2", fakeWorkflow{token: "T"}, false, ""},
		"rows done before the execution waits":       {done, fakeWorkflow{}, true, ""},
		"rows done after the execution has moved on": {done, fakeWorkflow{token: "T", workflowErr: job.ErrTokenClosed}, false, "COMPLETE"},
		"workflow is gone":                           {done, fakeWorkflow{token: "T", workflowErr: errUnreachable}, true, "COMPLETE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := postgrestest.Setup(t)
			j := d.AddJob(t, c.row)
			err := callback.NewRowsCompleter(d.DB, callback.New(&c.waiting, &c.waiting)).CompleteIfRowsDone(t.Context(), j, j.Progress)
			require.Equal(t, errors.Is(c.waiting.workflowErr, errUnreachable), err != nil, "%v", err)
			require.Equal(t, c.pending, d.ReadJob(t, j.ID).Progress.CallbackPending)
			if c.next == "" {
				require.Empty(t, c.waiting.completed)
			} else {
				require.Equal(t, []any{callback.Result{Next: c.next}}, c.waiting.completed)
			}
		})
	}
}
