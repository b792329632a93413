package e2e

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// The request of an export died before it was queued, ten minutes ago: the next run of
// reconcile queues it.
func TestReconcileQueuesLostExport(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true}, "email,name\nada@x.org,Ada\n")
	id := uuid.NewString()
	stacktest.Query[string](t, r.Stack, `
		INSERT INTO export_jobs (uuid, organisation_id, import_type, format, object_key, request_id, created_at, touched_at)
		VALUES ($1, 1, 'USER', 'csv', $2, 'died', now() - interval '10 minutes', now() - interval '10 minutes')
		RETURNING status`, id, "exports/1/"+id+".csv")
	// Runs reconcile now instead of waiting for its schedule.
	r.reconcile(ctx, t)
	var e rawclient.Export
	for tick := time.NewTicker(20 * time.Millisecond); e.Status != "completed"; {
		require.NoError(t, r.Get(ctx, "/v1/exports/"+id, &e))
		require.NotEqual(t, "failed", e.Status, e.FailureReason)
		select {
		case <-ctx.Done():
			require.NoError(t, ctx.Err())
		case <-tick.C:
		}
	}
	require.EqualValues(t, 1, e.RecordCount)
}
