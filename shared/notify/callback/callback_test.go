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

// fakeWorkflow is a workflow of which one task waits.
type fakeWorkflow struct {
	token       string // "" when nobody waits yet
	tableErr    error  // of the table
	workflowErr error  // of the workflow
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
		waiting fakeWorkflow
		told    bool
		fails   bool
	}{
		"somebody waits":              {fakeWorkflow{token: "T"}, true, false},
		"nobody waits yet":            {fakeWorkflow{}, false, false},
		"the execution has moved on":  {fakeWorkflow{token: "T", workflowErr: job.ErrTokenClosed}, true, false},
		"the table is unreachable":    {fakeWorkflow{token: "T", tableErr: errUnreachable}, false, true},
		"the workflow is unreachable": {fakeWorkflow{token: "T", workflowErr: errUnreachable}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told, err := callback.New(&c.waiting, &c.waiting).Complete(t.Context(), "job", job.PhaseRows, callback.NextComplete)
			require.Equal(t, c.told, told)
			if c.fails {
				require.ErrorIs(t, err, errUnreachable)
			} else {
				require.NoError(t, err)
			}
			if c.told {
				require.Equal(t, []any{callback.Result{Next: "COMPLETE"}}, c.waiting.completed)
			} else {
				require.Empty(t, c.waiting.completed)
			}
		})
	}
}

// The token is read before the fact is looked at: a completion never reaches a wait
// that began after the look.
func TestCompleteIfDueReadsTokenFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token, next string // of the wait that is there; of a later one
		status      job.Status
		answered    []any
		told        bool
	}{
		"what it waits for has happened": {"T", "T", job.Processing, []any{callback.Result{Next: "COMPLETE"}}, true},
		"it has not happened":            {"T", "T", job.CellMapping, nil, false},
		"the next wait has begun":        {"T", "later", job.Processing, nil, true},
		"nobody waited":                  {"", "later", job.Processing, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &fakeWorkflow{token: c.token}
			told, err := callback.New(w, w).CompleteIfDue(t.Context(), "job", job.PhaseCells, func(context.Context) (*job.Job, error) {
				w.token = c.next
				return &job.Job{Status: c.status}, nil
			})
			require.NoError(t, err)
			require.Equal(t, c.told, told)
			require.Equal(t, c.answered, w.completed)
		})
	}
}

func TestCompleteIfDueWithoutToken(t *testing.T) {
	t.Parallel()
	w := &fakeWorkflow{token: "T"}
	told, err := callback.New(w, w).CompleteIfDue(t.Context(), "job", job.PhaseCells, func(context.Context) (*job.Job, error) { return nil, errUnreachable })
	require.ErrorIs(t, err, errUnreachable)
	require.False(t, told)
	require.Empty(t, w.completed)
}

func TestUnknownPhaseIsNeverDue(t *testing.T) {
	t.Parallel()
	_, due := callback.Due(&job.Job{Status: job.Completed, Progress: job.Progress{SplitComplete: true}}, "LUNCH")
	require.False(t, due)
}

// The callback stays pending until a completion has been taken, or refused for good.
func TestCompleteIfRowsDone(t *testing.T) {
	t.Parallel()
	const done = "status = 'PROCESSING', split_complete = true, chunk_total = 2, chunks_done = 2, callback_pending = true"
	for name, c := range map[string]struct {
		row     string
		waiting fakeWorkflow
		pending bool
		next    string
	}{
		"the last chunk is done":      {done, fakeWorkflow{token: "T"}, false, "COMPLETE"},
		"rows wait for a person":      {done + ", deferred_count = 3", fakeWorkflow{token: "T"}, false, "CELL_MAPPING"},
		"a chunk is open":             {"status = 'PROCESSING', split_complete = true, chunk_total = 2, chunks_done = 1", fakeWorkflow{token: "T"}, false, ""},
		"the file is still being cut": {"status = 'PROCESSING', chunks_done = 2", fakeWorkflow{token: "T"}, false, ""},
		"nobody waits yet":            {done, fakeWorkflow{}, true, ""},
		"the execution has moved on":  {done, fakeWorkflow{token: "T", workflowErr: job.ErrTokenClosed}, false, "COMPLETE"},
		"the workflow is gone":        {done, fakeWorkflow{token: "T", workflowErr: errUnreachable}, true, "COMPLETE"},
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
