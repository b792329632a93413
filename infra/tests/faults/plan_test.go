package faults

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// Statements of the functions for a plan.
const (
	savePlanSQL     = "INSERT INTO import_plan_changes"
	classifyPlanSQL = "SET callback_pending = false, plan_digest"
	saveChunkSQL    = "INSERT INTO import_changes"
)

// planAndApprove plans and approves an import of chunkRows users, and checks that each is
// written once.
func (r *harness) planAndApprove(t *testing.T) {
	t.Helper()
	id := r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", AutoStart: true, Plan: true}, r.usersFile(chunkRows))
	r.awaitStatus(t, id, "AWAITING_APPROVAL")
	require.Zero(t, r.countWritten(t, id))
	_ = r.apply(t, id)
	r.requireAllCreated(t, id, chunkRows)
}

// apply approves a plan.
func (r *harness) apply(t *testing.T, id string) error {
	t.Helper()
	j, err := r.Job(t.Context(), id)
	require.NoError(t, err)
	return r.Do(t.Context(), http.MethodPost, "/api/imports/"+id+"/apply", "application/json", strings.NewReader(fmt.Sprintf(`{"digest":%q}`, j.Plan.Digest)), nil)
}

// planCrashes kills a function at the commit of a transaction that contains a statement,
// before the commit is sent or after it is done.
func planCrashes(function, statement string, committed bool) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		var kills atomic.Int64
		r.OnSQL(t, func(s *intercept.Statement) func() {
			if s.Function != function || s.SQL != "commit" || !strings.Contains(s.Earlier, statement) || kills.Add(1) > 1 {
				return nil
			}
			if committed {
				return s.Kill
			}
			s.Kill()
			s.Disconnect()
			return nil
		})
		r.planAndApprove(t)
		require.Positive(t, kills.Load(), "nothing was killed")
	}
}

// The API is killed after its commit, just before it completes the task: the plan is
// approved, but the execution is not notified. Reconcile notifies it.
func crashBeforeApplying(t *testing.T, r *harness) {
	killed := r.newEvent()
	var tries atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation != "SendTaskSuccess" || request.Function != "api" || tries.Add(1) > 1 {
			return forward()
		}
		request.Kill()
		killed.set()
		return nil
	})
	id := r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", AutoStart: true, Plan: true}, r.usersFile(chunkRows))
	r.awaitStatus(t, id, "AWAITING_APPROVAL")
	_ = r.apply(t, id) // the response is irrelevant: the process is dead
	killed.wait(t, "the approval is committed")
	r.exec(t, `UPDATE import_jobs SET updated_at = now() - interval '1 minute' WHERE uuid = '`+id+`'`)
	r.invoke(t, "reconcile") // its schedule would run it within a minute
	r.requireAllCreated(t, id, chunkRows)
}

// A column is added, and messages of both passes are delivered again, between plan and
// apply and after it: each row is written once, as shown in the plan.
func columnAddedBeforeApplying(t *testing.T, r *harness) {
	id := r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", AutoStart: true, Plan: true}, r.usersFile(chunkRows))
	r.awaitStatus(t, id, "AWAITING_APPROVAL")
	again := func() {
		r.resendChunk(t, fmt.Sprintf(`{"jobId":%q,"organisationId":1,"chunk":0}`, id))
		r.requireNoChunksQueued(t)
	}
	again()
	require.Zero(t, r.countWritten(t, id), "a redelivered chunk of a plan writes nothing")
	r.exec(t, `ALTER TABLE users ADD COLUMN loyalty text NOT NULL DEFAULT 'none'`)
	defer r.exec(t, `ALTER TABLE users DROP COLUMN loyalty`)
	require.NoError(t, r.apply(t, id))
	r.requireAllCreated(t, id, chunkRows)
	again()
	r.requireAllCreated(t, id, chunkRows)
	require.Equal(t, int64(chunkRows), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM users AS u JOIN import_jobs AS j ON j.id = u.source_job WHERE j.uuid = $1 AND u.loyalty = 'none'`, id))
}

// Between the approval and its chunk, another user takes a key that a row of the plan sets:
// that row is skipped, and the others are written.
func keyTakenBeforeApply(t *testing.T, r *harness) {
	file := r.usersFile(chunkRows)
	id := r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", AutoStart: true, Plan: true}, file)
	r.awaitStatus(t, id, "AWAITING_APPROVAL")
	email, _, _ := strings.Cut(strings.Split(file, "\n")[1], ",")
	admin := r.connectAdmin(t)
	var taken atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if s.Function == "process" && strings.Contains(s.SQL, claimChunkSQL) && taken.Add(1) == 1 {
			if _, err := admin.Exec(t.Context(), `INSERT INTO users (organisation_id, email, name) VALUES (1, $1, 'Faster')`, email); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	require.NoError(t, r.apply(t, id))
	j := r.awaitEnd(t, id)
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	require.Equal(t, int64(1), j.SkippedCount)
	require.Equal(t, int64(chunkRows-1), r.countWritten(t, id))
	r.requireExecution(t, id, "SUCCEEDED")
}
