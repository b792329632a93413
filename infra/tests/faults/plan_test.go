package faults

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/client"
	"github.com/loadbay/loadbay/infra/tests/intercept"
)

// What functions ask of the database for a plan.
const (
	keepsPlan  = "INSERT INTO import_plan_changes"
	judgesPlan = "SET callback_pending = false, plan_digest"
	savesChunk = "INSERT INTO import_changes"
)

// plan has chunkRows users rehearsed and approved of, and requires them to be written once.
func (r *rig) plan(t *testing.T) {
	t.Helper()
	id := r.upload(t, client.Create{ImportType: "USER", Filename: "users.csv", AutoStart: true, Plan: true}, r.users(chunkRows))
	r.status(t, id, "AWAITING_APPROVAL")
	require.Zero(t, r.written(t, id))
	_ = r.apply(t, id)
	r.requireAll(t, id, chunkRows)
}

// apply approves of a plan.
func (r *rig) apply(t *testing.T, id string) error {
	t.Helper()
	j, err := r.Job(t.Context(), id)
	require.NoError(t, err)
	return r.Do(t.Context(), http.MethodPost, "/api/imports/"+id+"/apply", "application/json", strings.NewReader(fmt.Sprintf(`{"digest":%q}`, j.Plan.Digest)), nil)
}

// planCrashes kills a function at the commit of a transaction that has sent a statement,
// before it is sent or when it is done.
func planCrashes(function, statement string, committed bool) func(*testing.T, *rig) {
	return func(t *testing.T, r *rig) {
		var kills atomic.Int64
		r.OnSQL(t, func(s *intercept.Statement) func() {
			if s.Function != function || s.SQL != "commit" || !strings.Contains(s.Earlier, statement) || kills.Add(1) > 1 {
				return nil
			}
			if committed {
				return s.Kill
			}
			s.Kill()
			s.Cut()
			return nil
		})
		r.plan(t)
		require.Positive(t, kills.Load(), "nothing was killed")
	}
}

// The API is killed when it is about to complete the task, after its commit: the plan is
// to be written, and nobody has told the execution. Reconcile does.
func crashBeforeApplying(t *testing.T, r *rig) {
	killed := r.newEvent()
	var tries atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation != "SendTaskSuccess" || request.Function != "api" || tries.Add(1) > 1 {
			return forward()
		}
		request.Kill()
		killed.happened()
		return nil
	})
	id := r.upload(t, client.Create{ImportType: "USER", Filename: "users.csv", AutoStart: true, Plan: true}, r.users(chunkRows))
	r.status(t, id, "AWAITING_APPROVAL")
	_ = r.apply(t, id) // whatever it is told: its process is dead
	killed.wait(t, "the approval is committed")
	r.exec(t, `UPDATE import_jobs SET updated_at = now() - interval '1 minute' WHERE uuid = '`+id+`'`)
	r.invoke(t, "reconcile") // what its schedule does within a minute
	r.requireAll(t, id, chunkRows)
}
