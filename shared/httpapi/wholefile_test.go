package httpapi_test

import (
	"maps"
	"net/http"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// importEntries calls the façade of event participants.
func (b *bundle) importEntries(t *testing.T, query string) answer {
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

func TestParticipantsFacadeAccepts(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	a := b.importEntries(t, "eventId=31&orgId=1&sheetIndex=1&createCustom2=false")
	id := decode[fields](a, http.StatusAccepted)["identifier"].(string)
	require.Equal(t, "/api/event-participants/import/"+id, a.Header().Get("Location"))
	j := b.job(t, 1, id)
	require.True(t, j.WholeFile)
	require.Equal(t, int64(31), *j.ContextID)
	require.JSONEq(t, `{"sheetIndex": 1, "createCustom2": "false"}`, string(j.Options))
}

func TestParticipantsFacadeRefuses(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	b.importEntries(t, "").refused(422, problem.ContextInvalid)
	b.importEntries(t, "eventId=32").refused(404, problem.NotFound)
	b.importEntries(t, "eventId=31&createCustom1=perhaps").refused(400, problem.OptionInvalid)
	b.importEntries(t, "eventId=31&createCustom4=true").refused(400, problem.ParameterInvalid)
}

// TestATypeThatCannotAskIsNotAskedTo: what would be ignored is refused.
func TestATypeThatCannotAskIsNotAskedTo(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	create := func(more fields) answer {
		doc := fields{"importType": "EVENT_PARTICIPANT", "contextId": 31}
		maps.Copy(doc, more)
		return b.announceUsers(t, nil, doc)
	}
	p := create(fields{"autoStart": false}).refused(400, problem.ParameterInvalid)
	require.Equal(t, "autoStart", p["errors"].([]any)[0].(fields)["field"])
	for _, more := range []fields{nil, {"autoStart": true}} {
		require.Equal(t, true, decode[fields](create(more), http.StatusCreated)["autoStart"])
	}
	body, kind := form(t, part{"importType", "", "EVENT_PARTICIPANT"}, part{"contextId", "", "31"}, part{"autoStart", "", "false"}, part{"file", "e.csv", "First name\nAda\n"})
	b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: kind}).refused(400, problem.ParameterInvalid)
	require.Equal(t, false, decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["autoStart"], "a type that can")
}

func TestParticipantsFacadeResult(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	id := decode[fields](b.importEntries(t, "eventId=31"), http.StatusAccepted)["identifier"].(string)
	path := "/api/event-participants/import/" + id
	b.do(t, get(path)).refused(409, problem.StillRunning)
	b.do(t, get("/api/memberships/import/"+id)).refused(404, problem.NotFound)
	b.move(t, id, job.Processing)
	b.in(t, func(tx pgx.Tx) error {
		return b.DB.SaveResult(t.Context(), tx, b.job(t, 1, id).Key, []byte(`{"fileLines": 2, "blankLines": 0, "headerRows": 1, "totalRows": 1,
			"created": 1, "updated": 0, "skipped": 0, "errors": 0, "issues": [], "issuesTruncated": false,
			"categories": [{"name": "Junior", "participants": 1}], "customListsCreated": 0, "customValuesCreated": [0, 0, 0]}`))
	})
	b.do(t, get(path)).refused(409, problem.StillRunning)
	b.move(t, id, job.Completed)
	require.Equal(t, []any{fields{"name": "Junior", "participants": 1.0}}, decode[fields](b.do(t, get(path)), http.StatusOK)["categories"])
}

// TestParticipantsFacadeResultOfAFailedImport: what a part has left behind is not
// shown as a result.
func TestParticipantsFacadeResultOfAFailedImport(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	id := decode[fields](b.importEntries(t, "eventId=31"), http.StatusAccepted)["identifier"].(string)
	b.move(t, id, job.Processing)
	b.in(t, func(tx pgx.Tx) error {
		return b.DB.SaveResult(t.Context(), tx, b.job(t, 1, id).Key, []byte(`{"categories": []}`))
	})
	b.move(t, id, job.Failed)
	require.Equal(t, "FAILED", decode[fields](b.do(t, get("/api/event-participants/import/"+id)), http.StatusOK)["status"])
}

func TestResultsFacade(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	upload := func(query string) answer {
		body, contentType := form(t, part{"file", "results.csv", "Category,Seq,EPID\nElite,1,11\n"})
		return b.do(t, request{method: "PUT", path: "/api/result-sets/import-bulk?" + query, body: body, contentType: contentType})
	}
	upload("eventId=31&pointsCalculator=fifa").refused(400, problem.OptionInvalid)
	upload("eventId=31&participantIdMode=name").refused(400, problem.OptionInvalid)
	upload("pointsCalculator=sa-school").refused(422, problem.ContextInvalid)
	a := upload("eventId=31&participantIdMode=regid&applyNumberChanges=true&pointsCalculator=sa-school")
	id := decode[fields](a, http.StatusAccepted)["identifier"].(string)
	require.Equal(t, "/api/result-sets/import/"+id, a.Header().Get("Location"))
	require.JSONEq(t, `{"participantIdMode": "regid", "applyNumberChanges": "true", "pointsCalculator": "sa-school"}`, string(b.job(t, 1, id).Options))
	b.do(t, get("/api/result-sets/import/"+id)).refused(409, problem.StillRunning)
	b.do(t, get("/api/event-participants/import/"+id)).refused(404, problem.NotFound)
	golden, err := os.ReadFile("../step/testdata/results/expected.json")
	require.NoError(t, err)
	b.move(t, id, job.Processing)
	b.in(t, func(tx pgx.Tx) error { return b.DB.SaveResult(t.Context(), tx, b.job(t, 1, id).Key, golden) })
	b.move(t, id, job.Completed)
	require.JSONEq(t, string(golden), b.do(t, get("/api/result-sets/import/"+id)).Body.String())
}
