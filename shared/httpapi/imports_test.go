package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

func get(path string) request { return request{method: "GET", path: path} }

func TestGetImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.processRows(t, id, "CCES")

	doc := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)

	want := fields{
		"identifier": id, "importType": "MEMBERSHIP", "status": "PROCESSING", "totalRows": 4.0, "processedRows": 4.0,
		"createdCount": 2.0, "updatedCount": 0.0, "unchangedCount": 0.0, "successCount": 2.0, "skippedCount": 1.0, "errorCount": 1.0,
		"fileLines": nil, "blankLines": nil, "headerRows": nil, "progressPercent": 100.0, "completedAt": nil, "failure": nil,
	}
	for name, want := range want {
		require.Equal(t, want, doc[name], name)
	}
	require.NotNil(t, doc["startedAt"])
	require.NotContains(t, doc, "columnMappings")
}

func TestGetImportWithMappings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		require.NoError(t, b.DB.SaveColumnMappings(t.Context(), tx, j, []job.MappedColumn{
			{ColumnIndex: 0, Header: "First name", TargetField: "FIRST_NAME", Status: job.AutoMatched, Confidence: 1, Samples: []string{"Ada"}},
			{ColumnIndex: 1, Header: "Shoe size", Status: job.Unresolved},
		}))
		return b.DB.AddCellMappings(t.Context(), tx, j, []job.MappedCell{
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "Adult", Status: job.AutoMatched, EntityID: "42", Rows: 3, FirstRow: 2},
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "Elder", Status: job.Unresolved, Rows: 1, FirstRow: 4},
		})
	})

	doc := decode[fields](b.do(t, get("/api/imports/"+id+"?includeMappings=true")), http.StatusOK)

	columns, cells := doc["columnMappings"].([]any), doc["cellMappings"].([]any)
	require.Len(t, columns, 2)
	first, second := columns[0].(fields), columns[1].(fields)
	require.Equal(t, "FIRST_NAME", first["targetField"])
	require.Equal(t, true, first["isRequired"])
	require.Equal(t, []any{"Ada"}, first["samples"])
	require.Nil(t, second["targetField"])
	require.Equal(t, "UNRESOLVED", second["status"])
	require.Len(t, cells, 2)
	require.Nil(t, cells[0].(fields)["targetEntityId"], "unresolved values come first")
	require.InEpsilon(t, 42, cells[1].(fields)["targetEntityId"], 0)
}

func TestInvalidIDs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	other := map[string]string{"organisation_id": "2"}
	for _, id := range []string{
		"00000000-0000-7000-8000-000000000000", "1", "urn:uuid:" + own, "%7B" + own + "%7D", own[:8] + own[9:13] + own[14:], "..%2f" + own, own + "x",
	} {
		for _, r := range []request{
			get("/api/imports/" + id), get("/api/imports/" + id + "?includeMappings=true"), {method: "DELETE", path: "/api/imports/" + id},
			get("/api/imports/" + id + "/results"), get("/api/imports/" + id + "/results/summary"), get("/api/memberships/import/" + id),
			get("/v1/imports/" + id), get("/v1/imports/" + id + "/errors"), {method: "POST", path: "/v1/imports/" + id + "/cancel"},
		} {
			b.do(t, r).requireProblem(404, problem.NotFound)
		}
	}
	for _, r := range []request{
		get("/api/imports/" + own), get("/api/imports/" + own + "?includeMappings=true"), {method: "DELETE", path: "/api/imports/" + own},
		get("/api/imports/" + own + "/results"), get("/api/imports/" + own + "/results/summary"), get("/api/memberships/import/" + own),
		get("/v1/imports/" + own), get("/v1/imports/" + own + "/errors"), {method: "POST", path: "/v1/imports/" + own + "/cancel"},
	} {
		r.claims = other
		b.do(t, r).requireProblem(404, problem.NotFound)
	}
	require.Equal(t, job.Uploaded, b.job(t, 1, own).Status)
}

func TestListImports(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ids []string
	for range 5 {
		ids = append(ids, decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string))
	}
	roster := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.setStatus(t, ids[0], job.Cancelled)

	a := b.do(t, get("/api/imports?organisationId=1&importType=USER&page=1&size=2"))
	docs := decode[[]fields](a, http.StatusOK)
	require.Len(t, docs, 2)
	require.Equal(t, []string{ids[2], ids[1]}, []string{docs[0]["identifier"].(string), docs[1]["identifier"].(string)}, "newest first")
	require.Equal(t, "5", a.Header().Get("X-Total-Count"))
	const base = "</api/imports?importType=USER&organisationId=1"
	next := nextLink.FindStringSubmatch(a.Header().Get("Link"))[1]
	require.Equal(t, base+`&page=0&size=2>; rel="first", `+base+`&page=0&size=2>; rel="prev", <`+
		next+`>; rel="next", `+base+`&page=2&size=2>; rel="last"`, a.Header().Get("Link"))
	require.Len(t, decode[[]fields](b.do(t, get(next)), http.StatusOK), 1)

	a = b.do(t, get("/api/imports?size=6")) // all of them
	require.Equal(t, `</api/imports?page=0&size=6>; rel="first", </api/imports?page=0&size=6>; rel="last"`, a.Header().Get("Link"))

	a = b.do(t, get("/api/imports?status=CANCELLED"))
	require.Equal(t, ids[0], decode[[]fields](a, http.StatusOK)[0]["identifier"])
	require.Equal(t, "1", a.Header().Get("X-Total-Count"))
	require.Len(t, decode[[]fields](b.do(t, get("/api/imports")), http.StatusOK), 6)

	require.Empty(t, decode[[]fields](b.do(t, get("/api/imports?page=7")), http.StatusOK))
	foreign := get("/api/imports")
	foreign.claims = map[string]string{"organisation_id": "2"}
	require.Empty(t, decode[[]fields](b.do(t, foreign), http.StatusOK))
	require.Equal(t, roster, decode[[]fields](b.do(t, get("/v1/imports?resource_type=memberships")), http.StatusOK)[0]["job_id"])
}

func TestListRejectsInvalidParameters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, query := range []string{
		"status=DONE", "status=completed", "importType=PEOPLE", "page=-1", "page=x", "page=99999999999", "size=0", "size=201", "size=1&size=2", "organisationId=one",
	} {
		b.do(t, get("/api/imports?"+query)).requireProblem(400, problem.ParameterInvalid)
	}
	b.do(t, get("/api/imports?organisationId=2")).requireProblem(404, problem.NotFound)
	b.do(t, get("/v1/imports?resource_type=people")).requireProblem(400, problem.ParameterInvalid)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)

	a := b.do(t, request{method: "DELETE", path: "/api/imports/" + id})

	require.Equal(t, http.StatusNoContent, a.Code)
	require.Empty(t, a.Body.String())
	require.Equal(t, job.Cancelled, b.job(t, 1, id).Status)
	require.Equal(t, []job.ID{job.ID(id)}, b.workflow.stopped)
	b.do(t, request{method: "DELETE", path: "/api/imports/" + id}).requireProblem(409, problem.StateConflict)
	b.do(t, request{method: "POST", path: "/v1/imports/" + id + "/cancel"}).requireProblem(409, problem.StateConflict)
	require.Len(t, b.workflow.stopped, 1)
}

func TestCancelOfEndedImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.finishJob(t, id, "C")
	b.do(t, request{method: "DELETE", path: "/api/imports/" + id}).requireProblem(409, problem.StateConflict)
	require.Equal(t, job.Completed, b.job(t, 1, id).Status)
	require.Empty(t, b.workflow.stopped)
}

// The status in the database decides, even if the workflow fails.
func TestCancelSurvivesWorkflowFailure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.workflow.fail = http.ErrServerClosed
	doc := decode[fields](b.do(t, request{method: "POST", path: "/v1/imports/" + id + "/cancel"}), http.StatusOK)
	require.Equal(t, "cancelled", doc["status"])
	require.Equal(t, job.Cancelled, b.job(t, 1, id).Status)
}
