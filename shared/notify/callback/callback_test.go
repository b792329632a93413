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

// waiting is a workflow of which one task waits.
type waiting struct {
	token    string // "" when nobody waits yet
	lost     error  // of the table
	refused  error  // of the workflow
	answered []any
}

func (w *waiting) Token(context.Context, job.ID, job.Phase) (string, error) { return w.token, w.lost }

func (w *waiting) CompleteTask(_ context.Context, token string, result any) error {
	if token != w.token {
		return job.ErrTokenClosed
	}
	w.answered = append(w.answered, result)
	return w.refused
}

var errUnreachable = errors.New("unreachable")

func TestTell(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		waiting waiting
		told    bool
		fails   bool
	}{
		"somebody waits":              {waiting{token: "T"}, true, false},
		"nobody waits yet":            {waiting{}, false, false},
		"the execution has moved on":  {waiting{token: "T", refused: job.ErrTokenClosed}, true, false},
		"the table is unreachable":    {waiting{token: "T", lost: errUnreachable}, false, true},
		"the workflow is unreachable": {waiting{token: "T", refused: errUnreachable}, true, true},
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
				require.Equal(t, []any{callback.Result{Next: "COMPLETE"}}, c.waiting.answered)
			} else {
				require.Empty(t, c.waiting.answered)
			}
		})
	}
}

// The token is read before the fact is looked at: a completion never reaches a wait
// that began after the look.
func TestTellDueLooksAfterItHasTheToken(t *testing.T) {
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
			w := &waiting{token: c.token}
			told, err := callback.New(w, w).CompleteIfDue(t.Context(), "job", job.PhaseCells, func(context.Context) (*job.Job, error) {
				w.token = c.next
				return &job.Job{Status: c.status}, nil
			})
			require.NoError(t, err)
			require.Equal(t, c.told, told)
			require.Equal(t, c.answered, w.answered)
		})
	}
}

func TestTellDueWithoutALook(t *testing.T) {
	t.Parallel()
	w := &waiting{token: "T"}
	told, err := callback.New(w, w).CompleteIfDue(t.Context(), "job", job.PhaseCells, func(context.Context) (*job.Job, error) { return nil, errUnreachable })
	require.ErrorIs(t, err, errUnreachable)
	require.False(t, told)
	require.Empty(t, w.answered)
}

func TestNothingIsDueInAPhaseThatIsNone(t *testing.T) {
	t.Parallel()
	_, due := callback.Due(&job.Job{Status: job.Completed, Progress: job.Progress{SplitComplete: true}}, "LUNCH")
	require.False(t, due)
}

// The callback stays pending until a completion has been taken, or refused for good.
func TestRowsDone(t *testing.T) {
	t.Parallel()
	const done = "status = 'PROCESSING', split_complete = true, chunk_total = 2, chunks_done = 2, callback_pending = true"
	for name, c := range map[string]struct {
		row     string
		waiting waiting
		pending bool
		next    string
	}{
		"the last chunk is done":      {done, waiting{token: "T"}, false, "COMPLETE"},
		"rows wait for a person":      {done + ", deferred_count = 3", waiting{token: "T"}, false, "CELL_MAPPING"},
		"a chunk is open":             {"status = 'PROCESSING', split_complete = true, chunk_total = 2, chunks_done = 1", waiting{token: "T"}, false, ""},
		"the file is still being cut": {"status = 'PROCESSING', chunks_done = 2", waiting{token: "T"}, false, ""},
		"nobody waits yet":            {done, waiting{}, true, ""},
		"the execution has moved on":  {done, waiting{token: "T", refused: job.ErrTokenClosed}, false, "COMPLETE"},
		"the workflow is gone":        {done, waiting{token: "T", refused: errUnreachable}, true, "COMPLETE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := postgrestest.Setup(t)
			j := d.AddJob(t, c.row)
			err := callback.NewRows(d.DB, callback.New(&c.waiting, &c.waiting)).RowsDone(t.Context(), j, j.Progress)
			require.Equal(t, errors.Is(c.waiting.refused, errUnreachable), err != nil, "%v", err)
			require.Equal(t, c.pending, d.ReadJob(t, j.ID).Progress.Callback)
			if c.next == "" {
				require.Empty(t, c.waiting.answered)
			} else {
				require.Equal(t, []any{callback.Result{Next: c.next}}, c.waiting.answered)
			}
		})
	}
}
