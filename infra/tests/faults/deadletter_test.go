package faults

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// Statements of work that is abandoned, as written in the functions.
const (
	startExportSQL = "SET status = 'processing', started_at"
)

// killUntilDeadLettered kills a function at a statement each time its queue delivers
// a message, and returns the number of kills.
func (r *harness) killUntilDeadLettered(t *testing.T, function, queue, statement string) *atomic.Int64 {
	t.Helper()
	q, found := blueprint.New().Queue(queue)
	require.True(t, found)
	died := &atomic.Int64{}
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if s.Function == function && strings.Contains(s.SQL, statement) && died.Load() < int64(q.MaxReceive) {
			died.Add(1)
			s.Kill()
			s.Disconnect()
		}
		return nil
	})
	return died
}

// killFetchUntilDeadLettered kills fetch at its query for the file to fetch, each time its
// queue delivers a message.
func (r *harness) killFetchUntilDeadLettered(t *testing.T) *atomic.Int64 {
	t.Helper()
	q, found := blueprint.New().Queue(blueprint.FetchesQueue)
	require.True(t, found)
	died := &atomic.Int64{}
	r.OnAWS(t, func(req *intercept.Request, forward func() *http.Response) *http.Response {
		if req.Function == "fetch" && strings.HasSuffix(req.Operation, "/invocations") && died.Load() < int64(q.MaxReceive) {
			died.Add(1)
			req.Kill()
			return nil
		}
		return forward()
	})
	return died
}

// requireQueuesEmpty waits until queues are empty.
func (r *harness) requireQueuesEmpty(t *testing.T, queues ...string) {
	t.Helper()
	for _, q := range queues {
		r.Await(t, q+" is empty", func() bool { return r.queueLength(t, q) == 0 })
	}
}

// The message of an export reaches the dead-letter queue, from which the same function fails
// the export instead of retrying it.
func exportCrashes(t *testing.T, r *harness) {
	died := r.killUntilDeadLettered(t, "export", blueprint.ExportsQueue, startExportSQL)
	var e rawclient.Export
	require.NoError(t, r.Do(t.Context(), http.MethodPost, "/v1/exports", "application/json", strings.NewReader(`{"resource_type":"users","format":"csv"}`), &e))
	r.Await(t, "the export is given up", func() bool {
		return r.Get(t.Context(), "/v1/exports/"+e.JobID, &e) == nil && e.Status == "failed"
	})
	require.EqualValues(t, 5, died.Load())
	require.Equal(t, "EXPORT_FAILED", stacktest.Query[string](t, r.Stack, `SELECT failure_code FROM export_jobs WHERE uuid = $1`, e.JobID))
	r.requireQueuesEmpty(t, blueprint.ExportsQueue, blueprint.ExportsDeadLetters)
}

// The same as exportCrashes for the file of an import. A retry would be rejected because the
// URL is on this machine.
func fetchCrashes(t *testing.T, r *harness) {
	died := r.killFetchUntilDeadLettered(t)
	var j struct {
		JobID string `json:"job_id"`
	}
	require.NoError(t, r.Do(t.Context(), http.MethodPost, "/v1/imports", "application/json",
		strings.NewReader(`{"resource_type":"users","url":"http://localhost/users.csv"}`), &j))
	ended := r.awaitEnd(t, j.JobID)
	require.Equal(t, "FAILED", ended.Status)
	require.Equal(t, "FETCH_FAILED", ended.Failure.Code)
	require.EqualValues(t, 5, died.Load())
	r.requireQueuesEmpty(t, blueprint.FetchesQueue, blueprint.FetchesDeadLetters)
}
