package cancel_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/imports/cancel"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// bundle is the service with a real database; it records external calls.
type bundle struct {
	*postgrestest.Database
	cancelling *cancel.Service
	done       []string
	stop       error // result of stopping an execution
	logs       bytes.Buffer
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Database: postgrestest.Setup(t)}
	b.cancelling = cancel.New(b.DB, b, b, slog.New(slog.NewTextHandler(&b.logs, nil)))
	return b
}

func (b *bundle) Stop(ctx context.Context, _ job.ID, _ string) error {
	b.done = append(b.done, fmt.Sprintf("stop, %t", ctx.Err() == nil))
	return b.stop
}

func (b *bundle) Record(_ context.Context, _ *job.Job, from, to job.Status) {
	b.done = append(b.done, fmt.Sprintf("%s to %s", from, to))
}

func (b *bundle) ref(j *job.Job) job.Ref {
	return job.Ref{JobID: j.ID, OrganisationID: 1}
}

func TestCancelStopsExecution(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, from := range []job.Status{job.Uploaded, job.ColumnMapping, job.CellMapping, job.Processing} {
		b.done = nil
		j := b.AddJob(t, fmt.Sprintf("status = '%s'", from))
		ended, err := b.cancelling.Cancel(t.Context(), b.ref(j))
		require.NoError(t, err)
		require.Equal(t, job.Cancelled, ended.Status)
		require.NotNil(t, ended.CompletedAt)
		require.Equal(t, job.Cancelled, b.ReadJob(t, j.ID).Status)
		require.Equal(t, []string{string(from) + " to CANCELLED", "stop, true"}, b.done)
	}
}

func TestFailedCancelRecordsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		job, says string
	}{
		{"status = 'COMPLETED', completed_at = now()", "this import is complete"},
		{"status = 'FAILED', completed_at = now()", "this import has failed"},
		{"status = 'CANCELLED', completed_at = now()", "this import was cancelled"},
		{"status = 'PROCESSING', split_complete = true, chunk_total = 2, chunks_done = 2", "about to complete"},
	} {
		j := b.AddJob(t, c.job)
		_, err := b.cancelling.Cancel(t.Context(), b.ref(j))
		require.Equal(t, problem.StateConflict, problem.CodeOf(err), c.job)
		require.ErrorContains(t, err, c.says)
		require.Equal(t, j.Status, b.ReadJob(t, j.ID).Status)
	}
	theirs := b.AddJob(t, "status = 'PROCESSING'")
	for _, ref := range []job.Ref{{JobID: job.ID(uuid.NewString()), OrganisationID: 1}, {JobID: theirs.ID, OrganisationID: 2}} {
		_, err := b.cancelling.Cancel(t.Context(), ref)
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	}
	require.Equal(t, job.Processing, b.ReadJob(t, theirs.ID).Status)
	require.Empty(t, b.done)
}

func TestCancelSucceedsWhenStopFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stop = errors.New("the workflow is away")
	j := b.AddJob(t, "status = 'PROCESSING'")
	_, err := b.cancelling.Cancel(t.Context(), b.ref(j))
	require.NoError(t, err)
	require.Equal(t, job.Cancelled, b.ReadJob(t, j.ID).Status)
	require.Contains(t, b.logs.String(), "the workflow is away")
}
