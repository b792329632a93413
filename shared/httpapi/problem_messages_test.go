package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// invalidParameter returns the only parameter that a problem names, with its message.
func invalidParameter(t *testing.T, p fields) (field, message string) {
	t.Helper()
	faults := p["errors"].([]any)
	require.Len(t, faults, 1)
	f := faults[0].(fields)
	return f["field"].(string), f["message"].(string)
}

// A missing context is reported with the parameter name of the endpoint that was called.
func TestMissingContextNamesParameter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for want, answer := range map[string]apiResponse{
		"contextId":  b.announceUsers(t, nil, fields{"importType": "MEMBERSHIP"}),
		"context_id": b.createV1(t, nil, part{"resource_type", "", "memberships"}, part{"file", "m.csv", roster}),
		"periodId": func() apiResponse {
			body, kind := form(t, part{"file", "roster.csv", roster})
			return b.do(t, request{method: "PUT", path: "/api/memberships/import", body: body, contentType: kind})
		}(),
	} {
		field, message := invalidParameter(t, answer.requireProblem(422, problem.ContextInvalid))
		require.Equal(t, want, field)
		require.Equal(t, "The ID of a membership period, such as 12.", message)
	}
	field, _ := invalidParameter(t, b.announceUsers(t, nil, fields{"importType": "MEMBERSHIP", "contextId": 99}).requireProblem(404, problem.NotFound))
	require.Equal(t, "contextId", field)
	field, _ = invalidParameter(t, b.createV1(t, nil, part{"resource_type", "", "users"}, part{"context_id", "", "1"}, part{"file", "u.csv", users}).requireProblem(422, problem.ContextInvalid))
	require.Equal(t, "context_id", field)
}

func TestProblemMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, message := invalidParameter(t, b.announceUsers(t, nil, fields{"mode": "replace"}).requireProblem(400, problem.ModeInvalid))
	require.Equal(t, "One of insert, upsert.", message)
	for query, want := range map[string]string{
		"resource=users&format=pdf":                                     "One of csv, ndjson, xlsx.",
		"resource=users&fields=id,mail":                                 `Unknown column "mail". Users have: id, email, name, role, active, created_at, updated_at.`,
		"resource=users&fields=id,id":                                   "The column id is listed twice.",
		"resource=users&filters=" + url.QueryEscape(`{"colour":"red"}`): "Unknown column.",
	} {
		_, message := invalidParameter(t, b.do(t, get("/v1/exports?"+query)).requireProblem(400, problem.ParameterInvalid))
		require.Equal(t, want, message)
	}
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	p := b.do(t, get("/api/memberships/import/"+id)).requireProblem(409, problem.StillRunning)
	require.Equal(t, "This import has not been read yet (UPLOADED). Its results are not available yet.", p["detail"])
	p = b.do(t, request{method: "POST", path: "/api/imports/" + id + "/cell-mappings/confirm"}).requireProblem(409, problem.StateConflict)
	require.Equal(t, "This import has not been read yet (UPLOADED). This is only possible while it waits for value matches (CELL_MAPPING).", p["detail"])
	b.setStatus(t, id, job.Failed)
	p = b.do(t, request{method: "DELETE", path: "/api/imports/" + id}).requireProblem(409, problem.StateConflict)
	require.Equal(t, "This import can no longer be cancelled: this import has failed (FAILED). Rows that were written are kept; see the results of import "+id+".", p["detail"])
}
