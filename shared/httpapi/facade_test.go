package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestFacadeAccepted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body, contentType := form(t, part{"file", "roster.xlsx", roster})

	a := b.do(t, request{method: "PUT", path: "/api/memberships/import?periodId=11&orgId=1&sheetIndex=2&encoding=CP1250", body: body, contentType: contentType,
		headers: map[string]string{"X-Request-ID": "from-the-caller"}})

	doc := decode[fields](a, http.StatusAccepted)
	id := doc["identifier"].(string)
	require.Equal(t, "/api/memberships/import/"+id, a.Header().Get("Location"))
	require.NotEmpty(t, a.Header().Get("Retry-After"))
	j := b.job(t, 1, id)
	require.True(t, j.AutoStart, "one-shot")
	require.JSONEq(t, `{"encoding":"CP1250","sheetIndex":2}`, string(j.Options))
	require.Equal(t, "MEMBERSHIP", j.ImportType)
	require.Equal(t, "from-the-caller", j.RequestID)
	require.Equal(t, []job.Ref{{JobID: job.ID(id), OrganisationID: 1}}, b.workflow.started)
}

func TestInvalidFacadeUploads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, want := range map[string]struct {
		status int
		code   problem.Code
	}{
		"":                             {422, problem.ContextInvalid},
		"periodId=":                    {422, problem.ContextInvalid},
		"periodId=next":                {400, problem.ParameterInvalid},
		"periodId=99":                  {404, problem.NotFound},
		"periodId=22":                  {404, problem.NotFound}, // of another organisation
		"periodId=11&orgId=2":          {404, problem.NotFound},
		"periodId=11&orgId=x":          {400, problem.ParameterInvalid},
		"periodId=11&sheetIndex=-1":    {400, problem.OptionInvalid},
		"periodId=11&sheetIndex=first": {400, problem.ParameterInvalid},
		"periodId=11&sheetindex=1":     {400, problem.ParameterInvalid},
		"periodId=11&encoding=klingon": {400, problem.OptionInvalid},
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			body, contentType := form(t, part{"file", "roster.csv", roster})
			b.do(t, request{method: "PUT", path: "/api/memberships/import?" + query, body: body, contentType: contentType}).requireProblem(want.status, want.code)
		})
	}
	t.Run("not a form", func(t *testing.T) {
		t.Parallel()
		b.do(t, request{method: "PUT", path: "/api/memberships/import?periodId=11", body: roster, contentType: "text/csv"}).requireProblem(415, problem.MediaTypeInvalid)
	})
}

func TestFacadeResult(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	path := "/api/memberships/import/" + id
	running := b.do(t, get(path))
	running.requireProblem(409, problem.StillRunning)
	require.NotEmpty(t, running.Header().Get("Retry-After"))

	b.processRows(t, id, "CESU", errorRow(3, rowwrite.Errored, "CELL_DATE", "BIRTH_DATE", "31.2.2020", "There is no such day."))
	b.do(t, get(path)).requireProblem(409, problem.StillRunning)
	b.setStatus(t, id, job.Completed)
	b.Exec(t, `UPDATE import_jobs SET warnings = ARRAY['HEADER_ONLY'] WHERE uuid::text = '`+id+`'`)

	doc := decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Len(t, doc["warningTexts"], 1)
	delete(doc, "warningTexts")
	require.Equal(t, fields{
		"warnings":   []any{"HEADER_ONLY"},
		"identifier": id, "status": "COMPLETED", "totalRows": 4.0, "created": 1.0, "updated": 1.0, "unchanged": 0.0, "skipped": 1.0, "errors": 1.0,
		"issues": []any{fields{
			"rowNumber": 3.0, "outcome": "ERROR", "code": "CELL_DATE", "field": "BIRTH_DATE", "value": "31.2.2020", "message": "There is no such day.",
		}},
		"issuesTruncated": false, "failure": nil, "undone": false, "undoneBy": nil,
	}, doc)

	undo := b.endUndoOf(t, id)
	doc = decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Equal(t, []any{true, fields{"identifier": undo, "whole": true}}, []any{doc["undone"], doc["undoneBy"]})
}

func TestFacadeResultOfFailedImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		_, _, err = b.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.Failed, Failure: &job.Failure{Code: "UNSUPPORTED_FORMAT", Message: "This is a PDF."}})
		return err
	})
	doc := decode[fields](b.do(t, get("/api/memberships/import/"+id)), http.StatusOK)
	require.Equal(t, "FAILED", doc["status"])
	require.Equal(t, fields{"code": "UNSUPPORTED_FORMAT", "message": "This is a PDF."}, doc["failure"])
	require.Equal(t, []any{}, doc["issues"])

	v1 := decode[fields](b.do(t, get("/v1/imports/"+id)), http.StatusOK)
	require.Equal(t, "failed", v1["status"])
	require.Equal(t, "This is a PDF.", v1["failure_reason"])
}

func TestFacadeResultIsTruncated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	outcomes, results := make([]byte, 1001), make([]job.RowResult, 1001)
	for i := range outcomes {
		outcomes[i] = 'E'
		results[i] = errorRow(int64(i)+2, rowwrite.Errored, "CELL_DATE", "BIRTH_DATE", "x", "No date.")
	}
	b.finishJob(t, id, string(outcomes), results...)
	doc := decode[fields](b.do(t, get("/api/memberships/import/"+id)), http.StatusOK)
	require.Len(t, doc["issues"], 1000)
	require.Equal(t, true, doc["issuesTruncated"])
	require.InEpsilon(t, 1001, doc["errors"], 0)
}

func TestFacadeResultOfOtherType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.do(t, get("/api/memberships/import/"+id)).requireProblem(404, problem.NotFound)
}
