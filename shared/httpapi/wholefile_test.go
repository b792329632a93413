package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// importParticipants calls the event participants façade.
func (b *bundle) importParticipants(t *testing.T, query string) apiResponse {
	t.Helper()
	body, contentType := form(t, part{"file", "entries.csv", "First name,Last name,Email,Category\nAda,Lovelace,ada@example.org,Junior\n"})
	return b.do(t, request{method: "PUT", path: "/api/event-participants/import?" + query, body: body, contentType: contentType})
}

func setupEvents(t *testing.T) *bundle {
	t.Helper()
	b := setup(t)
	b.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (31, 1, 'Hill Climb'), (32, 2, 'Theirs')`)
	return b
}

func TestParticipantsFacadeAccepted(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	a := b.importParticipants(t, "eventId=31&orgId=1&sheetIndex=1&createCustom2=false")
	id := decode[fields](a, http.StatusAccepted)["identifier"].(string)
	require.Equal(t, "/api/event-participants/import/"+id, a.Header().Get("Location"))
	j := b.job(t, 1, id)
	require.True(t, j.WholeFile)
	require.Equal(t, int64(31), *j.ContextID)
	require.JSONEq(t, `{"sheetIndex": 1, "createCustom2": "false"}`, string(j.Options))
}

func TestInvalidParticipantsUploads(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	b.importParticipants(t, "").requireProblem(422, problem.ContextInvalid)
	b.importParticipants(t, "eventId=32").requireProblem(404, problem.NotFound)
	b.importParticipants(t, "eventId=31&createCustom1=perhaps").requireProblem(400, problem.OptionInvalid)
	b.importParticipants(t, "eventId=31&createCustom4=true").requireProblem(400, problem.ParameterInvalid)
}

// POST /api/imports waits for decisions by default, the façades do not.
func TestWholeFileMappingOption(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	create := func(more fields) apiResponse {
		doc := fields{"importType": "EVENT_PARTICIPANT", "contextId": 31}
		maps.Copy(doc, more)
		return b.announceUsers(t, nil, doc)
	}
	made := func(a apiResponse, status int) []any {
		doc := decode[fields](a, status)
		return []any{doc["autoStart"], doc["skipMappingPhases"]}
	}
	require.Equal(t, []any{false, false}, made(create(nil), http.StatusCreated))
	require.Equal(t, []any{false, false}, made(create(fields{"autoStart": false}), http.StatusCreated))
	require.Equal(t, []any{true, true}, made(create(fields{"autoStart": true}), http.StatusCreated))
	require.Equal(t, []any{true, true}, made(create(fields{"skipMappingPhases": true}), http.StatusCreated))
	require.Equal(t, []any{true, false}, made(create(fields{"autoStart": true, "skipMappingPhases": false}), http.StatusCreated))
	p := create(fields{"autoStart": false, "skipMappingPhases": true}).requireProblem(400, problem.ParameterInvalid)
	require.Equal(t, "autoStart", p["errors"].([]any)[0].(fields)["field"])
	p = b.announceUsers(t, nil, fields{"skipMappingPhases": true}).requireProblem(400, problem.ParameterInvalid)
	require.Equal(t, "skipMappingPhases", p["errors"].([]any)[0].(fields)["field"], "types imported row by row do not accept the parameter")
	body, kind := form(t, part{"importType", "", "EVENT_PARTICIPANT"}, part{"contextId", "", "31"}, part{"skipMappingPhases", "", "true"}, part{"file", "e.csv", "First name\nAda\n"})
	require.Equal(t, []any{true, true}, made(b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: kind}), http.StatusCreated))
	require.Equal(t, []any{true, true}, made(b.importParticipants(t, "eventId=31"), http.StatusAccepted))
	require.Equal(t, []any{false, false}, made(b.importParticipants(t, "eventId=31&skipMappingPhases=false"), http.StatusAccepted))
}

func TestParticipantsFacadeResult(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	id := decode[fields](b.importParticipants(t, "eventId=31"), http.StatusAccepted)["identifier"].(string)
	path := "/api/event-participants/import/" + id
	b.do(t, get(path)).requireProblem(409, problem.StillRunning)
	b.do(t, get("/api/memberships/import/"+id)).requireProblem(404, problem.NotFound)
	b.setStatus(t, id, job.Processing)
	b.inTx(t, func(tx pgx.Tx) error {
		return b.DB.SaveResult(t.Context(), tx, b.job(t, 1, id).Key, []byte(`{"fileLines": 2, "blankLines": 0, "headerRows": 1, "totalRows": 1,
			"created": 1, "updated": 0, "unchanged": 0, "skipped": 0, "errors": 0, "issues": [], "issuesTruncated": false,
			"categories": [{"name": "Junior", "participants": 1}], "customListsCreated": 0, "customValuesCreated": [0, 0, 0]}`))
	})
	b.do(t, get(path)).requireProblem(409, problem.StillRunning)
	b.setStatus(t, id, job.Completed)
	doc := decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Equal(t, []any{fields{"name": "Junior", "participants": 1.0}}, doc["categories"])
	require.Equal(t, []any{false, nil}, []any{doc["undone"], doc["undoneBy"]})
	undo := b.endUndoOf(t, id)
	doc = decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Equal(t, []any{true, fields{"identifier": undo, "whole": true}}, []any{doc["undone"], doc["undoneBy"]})
}

// The intermediate state of a failed import is not returned as a result.
func TestParticipantsResultOfFailedImport(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	id := decode[fields](b.importParticipants(t, "eventId=31"), http.StatusAccepted)["identifier"].(string)
	b.setStatus(t, id, job.Processing)
	b.inTx(t, func(tx pgx.Tx) error {
		return b.DB.SaveResult(t.Context(), tx, b.job(t, 1, id).Key, []byte(`{"categories": []}`))
	})
	b.setStatus(t, id, job.Failed)
	require.Equal(t, "FAILED", decode[fields](b.do(t, get("/api/event-participants/import/"+id)), http.StatusOK)["status"])
}

func TestResultsFacade(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	upload := func(query string) apiResponse {
		body, contentType := form(t, part{"file", "results.csv", "Category,Seq,EPID\nElite,1,11\n"})
		return b.do(t, request{method: "PUT", path: "/api/result-sets/import-bulk?" + query, body: body, contentType: contentType})
	}
	upload("eventId=31&pointsCalculator=fifa").requireProblem(400, problem.OptionInvalid)
	upload("eventId=31&participantIdMode=name").requireProblem(400, problem.OptionInvalid)
	upload("pointsCalculator=sa-school").requireProblem(422, problem.ContextInvalid)
	a := upload("eventId=31&participantIdMode=regid&applyNumberChanges=true&pointsCalculator=sa-school")
	id := decode[fields](a, http.StatusAccepted)["identifier"].(string)
	require.Equal(t, "/api/result-sets/import/"+id, a.Header().Get("Location"))
	require.JSONEq(t, `{"participantIdMode": "regid", "applyNumberChanges": "true", "pointsCalculator": "sa-school"}`, string(b.job(t, 1, id).Options))
	b.do(t, get("/api/result-sets/import/"+id)).requireProblem(409, problem.StillRunning)
	b.do(t, get("/api/event-participants/import/"+id)).requireProblem(404, problem.NotFound)
	golden, err := os.ReadFile("../step/testdata/results/expected.json")
	require.NoError(t, err)
	b.setStatus(t, id, job.Processing)
	b.inTx(t, func(tx pgx.Tx) error { return b.DB.SaveResult(t.Context(), tx, b.job(t, 1, id).Key, golden) })
	b.setStatus(t, id, job.Completed)
	var want fields
	require.NoError(t, json.Unmarshal(golden, &want))
	want["undone"], want["undoneBy"] = false, nil
	require.Equal(t, want, decode[fields](b.do(t, get("/api/result-sets/import/"+id)), http.StatusOK))
}

// Plans are available through the façades as well; the result is unknown while the plan waits for a
// decision.
func TestWholeFilePlans(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	body, kind := form(t, part{"plan", "", "true"}, part{"guards", "", `{"created":"5%"}`}, part{"file", "e.csv", "First name\nAda\n"})
	for _, path := range []string{"/api/event-participants/import?eventId=31", "/api/result-sets/import-bulk?eventId=31"} {
		a := b.do(t, request{method: "PUT", path: path, body: body, contentType: kind})
		id := decode[fields](a, http.StatusAccepted)["identifier"].(string)
		require.Equal(t, &job.Plan{Requested: true, Guards: job.Guards{Created: "5%"}}, b.job(t, 1, id).Plan)
		b.setStatus(t, id, job.Processing)
		b.setStatus(t, id, job.AwaitingApproval)
		b.do(t, get(a.Header().Get("Location"))).requireProblem(409, problem.StillRunning)
	}
	b.setSettings(t, `{"guards":{"updated":"7"}}`)
	id := decode[fields](b.importParticipants(t, "eventId=31"), http.StatusAccepted)["identifier"].(string)
	require.Equal(t, &job.Plan{Guards: job.Guards{Updated: "7"}}, b.job(t, 1, id).Plan, "the organisation's guards apply")
}

// A file that retries another one inherits what the options of the first say about its values, and
// not that the file is a whole list.
func TestRetryOfInheritsOptions(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	const file = "Category,Seq,REGID\nElite,1,11\n"
	body, contentType := form(t, part{"file", "results.csv", file}, part{"strict", "", "true"})
	first := decode[fields](b.do(t, request{method: "PUT", path: "/api/result-sets/import-bulk?eventId=31&participantIdMode=regid&pointsCalculator=sa-school&complete=true", body: body, contentType: contentType}), http.StatusAccepted)["identifier"].(string)
	b.setStatus(t, first, job.Processing)
	b.setStatus(t, first, job.Completed)
	body, contentType = form(t, part{"importType", "", "RESULT"}, part{"contextId", "", "31"}, part{"retryOf", "", first}, part{"options", "", `{"pointsCalculator": "none"}`}, part{"file", "errors.csv", file})
	again := decode[fields](b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType}), http.StatusCreated)["identifier"].(string)
	require.JSONEq(t, `{"participantIdMode": "regid", "pointsCalculator": "none"}`, string(b.job(t, 1, again).Options))
	require.Equal(t, true, decode[fields](b.do(t, get("/api/imports/"+again)), http.StatusOK)["strict"])
}
