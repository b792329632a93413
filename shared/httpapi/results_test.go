package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// createRows creates a job with rows 2 to 8: created, error, blank, updated, skipped, error, created.
func (b *bundle) createRows(t *testing.T) string {
	t.Helper()
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	two := errorRow(7, rowwrite.Errored, "CELL_EMAIL", "EMAIL", "nobody", "Email: This is no e-mail address.")
	two.Errors = append(two.Errors, rowwrite.Error{Code: "CELL_REQUIRED", Field: "LAST_NAME", Message: "Last name: This must be given."})
	b.finishJob(t, id, "CE USEC=",
		errorRow(3, rowwrite.Errored, "ALREADY_EXISTS", "EMAIL", "ada@example.org", "This person is a member already."),
		errorRow(6, rowwrite.Skipped, "ROW_DUPLICATE", "", "", "The same as row 2."),
		two)
	return id
}

func TestResults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/api/imports/" + b.createRows(t) + "/results"

	a := b.do(t, get(path))
	docs := decode[[]fields](a, http.StatusOK)
	require.Equal(t, "7", a.Header().Get("X-Total-Count"))
	var seen []string
	for _, d := range docs {
		seen = append(seen, d["outcome"].(string))
	}
	require.Equal(t, []string{"CREATED", "ERROR", "UPDATED", "SKIPPED", "ERROR", "CREATED", "UNCHANGED"}, seen, "rows are in file order")
	require.InEpsilon(t, 5, docs[2]["rowNumber"], 0, "blank lines count in row numbers")
	require.Nil(t, docs[0]["message"])

	a = b.do(t, get(path+"?outcome=ERROR&page=1&size=1"))
	docs = decode[[]fields](a, http.StatusOK)
	require.Equal(t, "2", a.Header().Get("X-Total-Count"))
	require.Len(t, docs, 1)
	require.InEpsilon(t, 7, docs[0]["rowNumber"], 0)
	require.Equal(t, "Email: This is no e-mail address. Last name: This must be given.", docs[0]["message"])
	require.Equal(t, fields{"code": "CELL_EMAIL", "field": "EMAIL", "value": "nobody", "message": "Email: This is no e-mail address."}, docs[0]["faults"].([]any)[0])

	a = b.do(t, get(path+"?outcome=UNCHANGED"))
	require.Len(t, decode[[]fields](a, http.StatusOK), 1)
	require.Equal(t, "1", a.Header().Get("X-Total-Count"))

	b.do(t, get(path+"?outcome=FAILED")).requireProblem(400, problem.ParameterInvalid)
	b.do(t, get(path+"?size=1001")).requireProblem(400, problem.ParameterInvalid)
}

func TestSummary(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc := decode[fields](b.do(t, get("/api/imports/"+b.createRows(t)+"/results/summary")), http.StatusOK)
	require.Equal(t, fields{"created": 2.0, "updated": 1.0, "unchanged": 1.0, "skipped": 1.0, "error": 2.0, "validationError": 0.0}, doc)
}

func TestErrorsV1(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/imports/" + b.createRows(t) + "/errors"

	a := b.do(t, get(path))
	docs := decode[[]fields](a, http.StatusOK)
	require.Equal(t, "2", a.Header().Get("X-Total-Count"), "the total counts rows")
	require.Len(t, docs, 3)
	require.Equal(t, fields{"row": 3.0, "field": "email", "value": "ada@example.org", "reason": "This person is a member already.", "code": "ALREADY_EXISTS"}, docs[0])
	require.NotContains(t, docs[2], "value")

	for _, r := range []request{get(path + "?format=ndjson"), {method: "GET", path: path, headers: map[string]string{"Accept": "application/x-ndjson"}}} {
		a = b.do(t, r)
		require.Equal(t, http.StatusOK, a.Code)
		require.Equal(t, "application/x-ndjson", a.Header().Get("Content-Type"))
		var rows []float64
		for line := range strings.Lines(a.Body.String()) {
			var doc fields
			require.NoError(t, json.Unmarshal([]byte(line), &doc))
			rows = append(rows, doc["row"].(float64))
		}
		require.Equal(t, []float64{3, 7, 7}, rows)
	}
	b.do(t, get(path+"?format=xml")).requireProblem(400, problem.ParameterInvalid)
}

// A long message is shortened and reports the number of omitted errors.
func TestRowMessageIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	row := job.RowResult{Row: 2, Outcome: rowwrite.Errored}
	for range 20 {
		row.Errors = append(row.Errors, rowwrite.Error{Code: "CELL_REQUIRED", Field: "LAST_NAME", Message: "Last name: " + strings.Repeat("x", 87) + "."})
	}
	b.finishJob(t, id, "E", row)
	doc := decode[[]fields](b.do(t, get("/api/imports/"+id+"/results")), http.StatusOK)[0]
	require.Less(t, len(doc["message"].(string)), 1600)
	require.Regexp(t, `x\. And 5 more\.$`, doc["message"])
	require.Len(t, doc["faults"], 20)
}
