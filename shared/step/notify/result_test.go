package notify_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

// results records the jobs for which results are written.
type results struct {
	written []job.Ref
	fail    error
}

func (r *results) Write(_ context.Context, ref job.Ref) error {
	r.written = append(r.written, ref)
	return r.fail
}

// The sender gets a result if the import ends early: when it is cancelled by a caller or by
// purge, or fails with too many errors. Waiting and completed imports get no result here.
func TestEarlyEndWritesDropResult(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for status, want := range map[job.Status]int{job.Cancelled: 1, job.Failed: 1, job.Completed: 0, job.CellMapping: 0} {
		w.results.written = nil
		require.NoError(t, w.step.Run(t.Context(), w.endedEvent(t, "dry_run = false", status)))
		require.Len(t, w.results.written, want, status)
	}
	w.results.fail = errors.New("the bucket is away")
	w.register(t)
	ref := w.endedEvent(t, "dry_run = false", job.Cancelled)
	require.ErrorContains(t, w.step.Run(t.Context(), ref), "the bucket is away")
	require.Len(t, w.sent, 1, "the webhook is called although the result cannot be written")
}
