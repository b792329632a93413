package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// Imports that stay within the guards of their organisation, and imports that do not, run
// through the state machine.
func TestPlanApproveApply(t *testing.T) {
	t.Parallel()
	s := start(t)
	const file = "Email,Full name\nplan1@example.org,Ann Ash\nplan2@example.org,Bob Beech\nplan2@example.org\n"
	written := func() int64 {
		return stacktest.Query[int64](t, s.Stack, `SELECT count(*) FROM users WHERE email LIKE 'plan%'`)
	}
	remove := func(like string) {
		stacktest.Query[int64](t, s.Stack, `WITH gone AS (DELETE FROM users WHERE email LIKE $1 RETURNING id) SELECT count(*) FROM gone`, like)
	}
	upload := func(create rawclient.CreateRequest) *rawclient.Job {
		create.ImportType, create.Filename, create.SizeBytes, create.AutoStart = "USER", "plan.csv", int64(len(file)), true
		j, err := s.Upload(t.Context(), create, strings.NewReader(file))
		require.NoError(t, err)
		j, err = s.Wait(t.Context(), j.Identifier, 20*time.Millisecond, nil, func(j *rawclient.Job) bool { return j.WaitingFor == "APPROVAL" || j.Ended() })
		require.NoError(t, err)
		return j
	}
	j := upload(rawclient.CreateRequest{Plan: true})
	require.Equal(t, "AWAITING_APPROVAL", j.Status, j.Failure)
	require.Equal(t, []int64{2, 1, 0}, []int64{j.SuccessCount, j.ErrorCount, written()})
	path := "/api/imports/" + j.Identifier
	var shown struct{ Changes []json.RawMessage }
	require.NoError(t, s.Get(t.Context(), path+"/changes", &shown))
	require.Len(t, shown.Changes, 2)

	require.NoError(t, s.Do(t.Context(), http.MethodPost, path+"/apply", "application/json", strings.NewReader(fmt.Sprintf(`{"digest":%q}`, j.Plan.Digest)), nil))
	j, err := s.Wait(t.Context(), j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", j.Status, j.Failure)
	require.Equal(t, []int64{2, 1, 2}, []int64{j.SuccessCount, j.ErrorCount, written()})

	require.NoError(t, s.Do(t.Context(), http.MethodPatch, "/api/settings", "application/json", strings.NewReader(`{"guards":{"created":"1"}}`), nil))
	remove("plan1@example.org")
	j = upload(rawclient.CreateRequest{})
	require.Equal(t, "COMPLETED", j.Status, "the guard allows one created row")
	require.Equal(t, int64(2), written())
	remove("plan%")
	j = upload(rawclient.CreateRequest{})
	require.Equal(t, "AWAITING_APPROVAL", j.Status, "the guard does not allow two created rows")
	require.Zero(t, written())
}

// A plan of a file that is read as a whole is applied by the functions that write
// chunks.
func TestWholeFilePlanIsApplied(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	event := r.createEvent(t)
	entered := func() int64 { return stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM event_participants`) }
	const file = "First name,Last name,Email,Category,Custom 1\nAda,Ace,ada@x.org,Elite,Small\nBen,Bolt,ben@x.org,Elite,Large\nCid,Cole,cid@x.org,Veteran,\n"
	var j rawclient.Job
	require.NoError(t, r.PostForm(ctx, http.MethodPut, "/api/event-participants/import?eventId="+event, "file.csv", []byte(file), map[string]string{"plan": "true"}, &j))
	waiting, err := r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, func(j *rawclient.Job) bool { return j.WaitingFor == "APPROVAL" || j.Ended() })
	require.NoError(t, err)
	require.Equal(t, "AWAITING_APPROVAL", waiting.Status, waiting.Failure)
	require.Equal(t, []int64{2, 1, 0}, []int64{waiting.SuccessCount, waiting.ErrorCount, entered()})

	apply := strings.NewReader(fmt.Sprintf(`{"digest":%q}`, waiting.Plan.Digest))
	require.NoError(t, r.Do(ctx, http.MethodPost, "/api/imports/"+j.Identifier+"/apply", "application/json", apply, nil))
	ended, err := r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", ended.Status, ended.Failure)
	require.Equal(t, []int64{2, 1, 2}, []int64{ended.SuccessCount, ended.ErrorCount, entered()})
	var result struct{ Created, Errors int }
	require.NoError(t, r.Get(ctx, "/api/event-participants/import/"+j.Identifier, &result))
	require.Equal(t, []int{2, 1}, []int{result.Created, result.Errors})
}
