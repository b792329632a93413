package httpapi_test

import (
	"log/slog"
	"net/http"
	"testing"

	"context"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/deletion"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const deletionPath = "/api/organisation/deletion"

// confirmDeletion confirms the deletion of organisation 1 as a person.
func (b *bundle) confirmDeletion(t *testing.T, by, name string) apiResponse {
	t.Helper()
	return b.do(t, request{
		method: "POST", path: deletionPath + "/confirm", body: `{"name": "` + name + `"}`, contentType: "application/json", claims: map[string]string{"sub": by},
	})
}

// noCloud is a cloud without objects, tokens and executions.
type noCloud struct{}

func (noCloud) DeleteAll(context.Context, string) (int, error)         { return 0, nil }
func (noCloud) DeleteJobs(context.Context, tenant.ID, []job.ID) error  { return nil }
func (noCloud) DeleteIdempotencyKeys(context.Context, tenant.ID) error { return nil }
func (noCloud) Stop(_ context.Context, _ job.ID, _ string) error       { return nil }
func deleteRequest(path string) request                                { return request{method: "DELETE", path: path} }
func postJSON(path, body string) request {
	return request{method: "POST", path: path, body: body, contentType: "application/json"}
}

func TestDeletionOfOrganisation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.do(t, get(deletionPath)).requireProblem(404, problem.NotFound)
	b.confirmDeletion(t, "tester", "One").requireProblem(404, problem.NotFound)
	b.do(t, deleteRequest(deletionPath)).requireProblem(404, problem.NotFound)

	requested := decode[fields](b.do(t, postJSON(deletionPath, "")), http.StatusCreated)
	require.Equal(t, "REQUESTED", requested["status"])
	require.Equal(t, "One", requested["name"])
	require.Equal(t, "tester", requested["requestedBy"])
	require.Equal(t, false, requested["needsOtherPerson"])
	require.Equal(t, http.StatusNoContent, b.do(t, deleteRequest(deletionPath)).Code)
	decode[fields](b.do(t, postJSON(deletionPath, "")), http.StatusCreated)
	wrong := b.confirmDeletion(t, "tester", "one").requireProblem(400, problem.ParameterInvalid)
	require.Equal(t, "name", wrong["errors"].([]any)[0].(fields)["field"])
	decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated) // nothing is frozen yet

	confirmed := decode[fields](b.confirmDeletion(t, "tester", "One"), http.StatusAccepted)
	require.Equal(t, "CONFIRMED", confirmed["status"])
	require.NotNil(t, confirmed["confirmedAt"])
	decode[fields](b.confirmDeletion(t, "tester", "One"), http.StatusAccepted)
	b.do(t, postJSON(deletionPath, "")).requireProblem(409, problem.StateConflict)
	b.do(t, deleteRequest(deletionPath)).requireProblem(409, problem.StateConflict)

	// Nothing can be changed any more, and everything can be read.
	b.announceUsers(t, nil, nil).requireProblem(403, problem.OrgDeleted)
	b.do(t, deleteRequest("/api/imports/"+id)).requireProblem(403, problem.OrgDeleted)
	b.do(t, request{method: "PATCH", path: "/api/settings", body: `{"undoDays": 3}`, contentType: "application/json"}).requireProblem(403, problem.OrgDeleted)
	b.do(t, postJSON("/api/exports", `{"importType": "USER"}`)).requireProblem(403, problem.OrgDeleted)
	b.do(t, postJSON(keysPath, `{"name": "a", "scopes": ["imports:read"]}`)).requireProblem(403, problem.OrgDeleted)
	decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
	decode[fields](b.do(t, request{method: "PATCH", path: "/api/settings", body: `{"undoDays": 3}`, contentType: "application/json", claims: map[string]string{"organisation_id": "2"}}), http.StatusOK)

	runner, err := deletion.NewRunner(b.DB, noCloud{}, noCloud{}, noCloud{}, deletion.Config{Rows: 100}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, runner.Run(t.Context(), 1))
	receipt := decode[fields](b.do(t, get(deletionPath)), http.StatusOK)
	require.Equal(t, "COMPLETED", receipt["status"])
	require.Nil(t, receipt["requestedBy"])
	require.Nil(t, receipt["name"])
	require.InDelta(t, 2, receipt["deletedRows"].(fields)["loadbay.import_jobs"], 0)
	b.announceUsers(t, nil, nil).requireProblem(403, problem.OrgDeleted)
	require.Zero(t, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM organisation_usage WHERE organisation_id = 1`), "requests leave no rows")
	var actions []any
	for _, line := range b.logs.lines(t) {
		if line["msg"] == "administrator" {
			actions = append(actions, line["action"])
		}
	}
	require.Equal(t, []any{"organisation deletion requested", "organisation deletion withdrawn", "organisation deletion requested", "organisation deletion confirmed"}, actions)

	// The id is not used again.
	b.do(t, operate("POST", organisations, `{"id": 1, "name": "Another"}`)).requireProblem(409, problem.StateConflict)
	b.Exec(t, `DELETE FROM membership_periods; DELETE FROM organisation_settings; DELETE FROM organisation_usage; DELETE FROM organisations`)
	b.Exec(t, `INSERT INTO organisation_deletions (organisation_id, confirmed_at) VALUES (7, now())`)
	made := decode[fields](b.do(t, operate("POST", organisations, `{"name": "Another"}`)), http.StatusCreated)
	require.InDelta(t, 8, made["id"], 0)
}

func TestDeletionNeedsAuthorisedPersons(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(t, request{method: "POST", path: deletionPath, claims: map[string]string{"scope": "imports:read settings:write"}}).requireProblem(403, problem.ScopeRequired)
	b.do(t, request{method: "POST", path: deletionPath, claims: map[string]string{"sub": ""}}).requireProblem(403, problem.ScopeRequired)
	key := b.createKey(t, "nightly", "organisation:write")["key"]
	b.useKey(t, key, request{method: "POST", path: deletionPath}).requireProblem(403, problem.ScopeRequired)

	// With four-eyes approval, also if it is switched off after the request.
	settings := func(approval string) {
		decode[fields](b.do(t, request{method: "PATCH", path: "/api/settings", body: `{"approval": ` + approval + `}`, contentType: "application/json"}), http.StatusOK)
	}
	settings(`"other"`)
	requested := decode[fields](b.do(t, postJSON(deletionPath, "")), http.StatusCreated)
	require.Equal(t, true, requested["needsOtherPerson"])
	b.confirmDeletion(t, "tester", "One").requireProblem(403, problem.ApprovalByOther)
	settings(`null`)
	b.confirmDeletion(t, "tester", "One").requireProblem(403, problem.ApprovalByOther)
	b.useKey(t, key, request{method: "POST", path: deletionPath + "/confirm", body: `{"name": "One"}`, contentType: "application/json"})
	require.Zero(t, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM organisation_deletions WHERE confirmed_at IS NOT NULL`))

	b.Exec(t, `UPDATE organisation_deletions SET requested_at = now() - interval '8 days'`)
	b.confirmDeletion(t, "colleague", "One").requireProblem(409, problem.StateConflict)
	decode[fields](b.do(t, postJSON(deletionPath, "")), http.StatusCreated)
	require.Equal(t, "CONFIRMED", decode[fields](b.confirmDeletion(t, "colleague", "One"), http.StatusAccepted)["status"])
}

func TestExportOfOrganisation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(t, request{method: "POST", path: "/api/organisation/export", claims: map[string]string{"scope": "exports:read exports:write"}}).requireProblem(403, problem.ScopeRequired)
	created := b.do(t, request{method: "POST", path: "/api/organisation/export", headers: map[string]string{"Idempotency-Key": "once"}})
	e := decode[fields](created, http.StatusAccepted)
	require.Equal(t, "ORGANISATION", e["importType"])
	require.Equal(t, "zip", e["format"])
	id := e["identifier"].(string)
	require.Equal(t, "/api/exports/"+id, created.Header().Get("Location"))
	require.Len(t, b.exports.queued, 1)
	again := decode[fields](b.do(t, request{method: "POST", path: "/api/organisation/export", headers: map[string]string{"Idempotency-Key": "once"}}), http.StatusOK)
	require.Equal(t, id, again["identifier"])

	// The archive contains more than a reader of exports may see.
	b.Exec(t, `UPDATE export_jobs SET status = 'completed', completed_at = now(), size_bytes = 3 WHERE uuid::text = $1`, id)
	b.objects.stored["exports/1/"+id+".zip"] = "zip"
	for _, path := range []string{"/api/exports/", "/v1/exports/"} {
		decode[fields](b.do(t, get(path+id)), http.StatusOK)
		b.do(t, request{method: "GET", path: path + id + "/download", claims: map[string]string{"scope": "exports:read"}}).requireProblem(403, problem.ScopeRequired)
		require.Equal(t, http.StatusFound, b.do(t, get(path+id+"/download")).Code)
	}
	require.Len(t, decode[[]fields](b.do(t, get("/api/exports")), http.StatusOK), 1)
	b.do(t, postJSON("/api/exports", `{"importType": "ORGANISATION", "format": "zip"}`)).requireProblem(400, problem.ImportTypeUnknown)
	b.do(t, postJSON("/api/exports", `{"importType": "USER", "format": "zip"}`)).requireProblem(400, problem.ParameterInvalid)
}
