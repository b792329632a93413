package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// planFields returns the plan in the document of a response's import.
func planFields(t *testing.T, a apiResponse) any {
	t.Helper()
	require.Less(t, a.Code, 300, a.Body.String())
	return decode[fields](a, a.Code)["plan"]
}

// createPlan creates a plan of one chunk that waits for approval and renames a user in row 2.
func (b *bundle) createPlan(t *testing.T, changes fields) (id, digest string) {
	t.Helper()
	id = decode[fields](b.announceUsers(t, nil, changes), http.StatusCreated)["identifier"].(string)
	return id, b.finishPlan(t, id)
}

// finishPlan makes an announced import the plan of createPlan.
func (b *bundle) finishPlan(t *testing.T, id string) (digest string) {
	t.Helper()
	b.setStatus(t, id, job.Processing)
	j := b.job(t, 1, id)
	b.inTx(t, func(tx pgx.Tx) error {
		require.NoError(t, b.DB.AddChunks(t.Context(), tx, j, []job.Chunk{{Key: "k", FirstRow: 2, Lines: 2, Rows: 2}}))
		require.NoError(t, b.DB.SaveOutcomes(t.Context(), tx, &job.Chunk{JobKey: j.Key, Done: true, Outcomes: []byte("UE")}))
		_, _, err := b.DB.CompleteSplit(t.Context(), tx, j.Key, job.SplitTotals{Chunks: 1, Lines: 3, Rows: 2, Header: 1})
		require.NoError(t, err)
		_, _, err = b.DB.AddProgress(t.Context(), tx, j.Key, job.Counts{Updated: 1, Errored: 1}, 1)
		require.NoError(t, err)
		require.NoError(t, b.DB.AddPlannedChanges(t.Context(), tx, j, 0, []changeset.Change{{
			Row: 2, Table: "users", ID: "a", Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{new("Ann")}, After: []*string{new("Anna")},
		}}))
		return b.DB.SavePlanDigest(t.Context(), tx, j.Key)
	})
	b.setStatus(t, id, job.AwaitingApproval)
	return b.job(t, 1, id).Plan.Digest
}

func applyPlan(id, digest string, claims map[string]string) request {
	return request{method: "POST", path: "/api/imports/" + id + "/apply", body: fmt.Sprintf(`{"digest":%q}`, digest), contentType: "application/json", claims: claims}
}

var (
	approver    = map[string]string{"sub": "bob", "scope": "imports:read imports:approve"}
	planCreator = map[string]string{"scope": "imports:approve"}
)

func TestApplyPlanNeedsScope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, digest := b.createPlan(t, fields{"plan": true, "approval": "other"})
	document := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
	require.Equal(t, "AWAITING_APPROVAL", document["status"])
	require.Equal(t, "APPROVAL", document["waitingFor"])
	require.Equal(t, "ASK_APPROVAL", document["phase"])
	require.Equal(t, digest, document["plan"].(fields)["digest"])
	shown := decode[fields](b.do(t, get("/api/imports/"+id+"/changes")), http.StatusOK)["changes"].([]any)
	require.Len(t, shown, 1)
	require.Equal(t, "Anna", shown[0].(fields)["fields"].([]any)[0].(fields)["after"])
	require.Equal(t, "pending", decode[fields](b.do(t, get("/v1/imports/"+id)), http.StatusOK)["status"])
	require.Len(t, decode[[]fields](b.do(t, get("/api/imports?status=AWAITING_APPROVAL")), http.StatusOK), 1)
	require.Len(t, decode[[]fields](b.do(t, get("/api/imports?active=true")), http.StatusOK), 1)

	anonymous := applyPlan(id, digest, nil)
	anonymous.anonymous = true
	b.do(t, anonymous).requireProblem(401, problem.Unauthorized)
	b.do(t, applyPlan(id, digest, map[string]string{"sub": "bob"})).requireProblem(403, problem.ScopeRequired)
	b.do(t, applyPlan(id, digest, map[string]string{"scope": "imports:approve", "organisation_id": "2"})).requireProblem(404, problem.NotFound)
	b.do(t, applyPlan("1", digest, approver)).requireProblem(404, problem.NotFound)
	b.do(t, applyPlan(id, digest, planCreator)).requireProblem(403, problem.ApprovalByOther)
	b.do(t, applyPlan(id, digest, map[string]string{"sub": "", "scope": "imports:approve"})).requireProblem(403, problem.ApprovalByOther)
	b.do(t, applyPlan(id, strings.Repeat("0", 64), approver)).requireProblem(409, problem.PlanChanged)
	wrong := applyPlan(id, digest, approver)
	wrong.body = fmt.Sprintf(`{"digest":%q,"onStale":"ignore"}`, digest)
	b.do(t, wrong).requireProblem(400, problem.ParameterInvalid)
	require.Equal(t, job.AwaitingApproval, b.job(t, 1, id).Status)

	for range 2 { // a repeated request gets the same response
		document = decode[fields](b.do(t, applyPlan(id, digest, approver)), http.StatusAccepted)
		require.Equal(t, "PROCESSING", document["status"])
		require.Equal(t, "bob", document["plan"].(fields)["appliedBy"])
		require.Equal(t, "skip", document["plan"].(fields)["onStale"])
		require.Equal(t, []any{0.0, 1.0}, []any{document["updatedCount"], document["errorCount"]})
	}
	require.Equal(t, []taskCompletion{{job.ID(id), job.PhaseApproval, "APPLY"}}, b.workflow.completions)
	require.Equal(t, "uE", postgrestest.Query[string](t, b.Database, `SELECT convert_from(outcomes, 'UTF8') FROM import_chunks WHERE NOT done`))
	b.do(t, applyPlan(id, digest, map[string]string{"sub": "eve", "scope": "imports:approve"})).requireProblem(409, problem.StateConflict)
	require.Empty(t, decode[fields](b.do(t, get("/api/imports/"+id+"/changes")), http.StatusOK)["changes"], "an applied plan lists only written changes")
}

// The summary and the files describe the plan while it waits, and the written changes afterwards.
func TestPlanSummaryAndDownloads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, digest := b.createPlan(t, fields{"plan": true})
	path := "/api/imports/" + id + "/changes"
	tables := func() any {
		return decode[fields](b.do(t, get(path+"/summary")), http.StatusOK)["tables"]
	}
	require.Equal(t, []any{fields{"table": "users", "created": 0.0, "updated": 1.0, "deleted": 0.0}}, tables())
	require.Contains(t, b.do(t, get(path+".ndjson")).Body.String(), `"after":"Anna"`)
	book, err := excelize.OpenReader(bytes.NewReader(b.do(t, get(path+".xlsx")).Body.Bytes()))
	require.NoError(t, err)
	require.Equal(t, []string{"users"}, book.GetSheetList())
	cells, err := book.GetRows("users")
	require.NoError(t, err)
	require.Subset(t, cells[len(cells)-1], []string{"Ann", "Anna"})

	require.Equal(t, http.StatusAccepted, b.do(t, applyPlan(id, digest, approver)).Code)
	require.Empty(t, tables(), "nothing has been written yet")
	require.NotContains(t, b.do(t, get(path+".ndjson")).Body.String(), "Anna")
}

func TestApplyOwnPlan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, digest := b.createPlan(t, fields{"plan": true})
	require.Equal(t, http.StatusAccepted, b.do(t, applyPlan(id, digest, planCreator)).Code)

	b.setSettings(t, `{"approval":"other"}`)
	id, digest = b.createPlan(t, fields{"plan": true, "approval": "any"})
	b.do(t, applyPlan(id, digest, planCreator)).requireProblem(403, problem.ApprovalByOther)
	require.Equal(t, http.StatusAccepted, b.do(t, applyPlan(id, digest, approver)).Code)
}

func TestCancelDiscardsPlan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, digest := b.createPlan(t, fields{"plan": true})
	require.Less(t, b.do(t, request{method: "DELETE", path: "/api/imports/" + id}).Code, 300)
	require.Equal(t, job.Cancelled, b.job(t, 1, id).Status)
	b.do(t, applyPlan(id, digest, approver)).requireProblem(409, problem.StateConflict)
	require.Len(t, decode[fields](b.do(t, get("/api/imports/"+id+"/changes")), http.StatusOK)["changes"], 1)
}

func TestPlanOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	plan := func(asked bool, approval string, guards any) fields {
		return fields{"asked": asked, "approval": approval, "guards": guards, "digest": nil, "onStale": nil, "appliedAt": nil, "appliedBy": nil}
	}
	announce := func(changes fields) any { return planFields(t, b.announceUsers(t, nil, changes)) }
	require.Nil(t, announce(nil))
	require.Equal(t, plan(true, "any", nil), announce(fields{"plan": true}))
	require.Equal(t, plan(true, "other", nil), announce(fields{"approval": "other"}))
	require.Equal(t, plan(false, "any", fields{"created": "10"}), announce(fields{"guards": fields{"created": 10}}))
	require.Nil(t, announce(fields{"dryRun": true}))
	for _, wrong := range []fields{
		{"plan": true, "dryRun": true}, {"approval": "nobody"}, {"guards": fields{"created": "-1"}}, {"guards": fields{"fields": fields{"SHOE": "1"}}},
		{"guards": fields{"fields": fields{"NAME": ""}}},
	} {
		b.announceUsers(t, nil, wrong).requireProblem(400, problem.ParameterInvalid)
	}

	v1 := func(parts ...part) *job.Plan {
		parts = append([]part{{"resource_type", "", "users"}}, parts...)
		id := decode[fields](b.createV1(t, nil, append(parts, part{"file", "u.csv", "Email\n"})...), http.StatusAccepted)["job_id"]
		return b.job(t, 1, id.(string)).Plan
	}
	require.True(t, v1(part{"plan", "", "true"}).Requested)
	require.Equal(t, job.ErrorLimit("5%"), v1(part{"guards", "", `{"updated":"5%"}`}).Guards.Updated)

	require.Equal(t, plan(true, "any", nil), announce(fields{"plan": true, "importType": "ORDER"}))

	b.setSettings(t, `{"guards":{"created":"10","fields":{"NAME":1}}}`)
	require.Equal(t, plan(false, "any", fields{"created": "10", "updated": "5", "fields": fields{"NAME": "1"}}),
		announce(fields{"guards": fields{"created": 1000, "updated": 5}}), "a request cannot loosen the organisation's guards")
	require.Nil(t, announce(fields{"dryRun": true}))
}
