package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxResponseBytes is the maximum size of a Lambda response, which contains the body as a JSON
// string.
//
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const maxResponseBytes = 6 << 20

// requireInvocationSize checks that the response does not exceed the limit of a function.
func (a apiResponse) requireInvocationSize() apiResponse {
	a.t.Helper()
	text, err := json.Marshal(a.Body.String())
	require.NoError(a.t, err)
	require.Less(a.t, len(text), maxResponseBytes)
	return a
}

var nextLink = regexp.MustCompile(`<([^>]+)>; rel="next"`)

// readAllPages returns all entries of a list, page by page, and the number of pages. It does not
// validate them against openapi.yaml, which would take minutes.
func (b *bundle) readAllPages(t *testing.T, path string) (entries []fields, pages int) {
	t.Helper()
	for path != "" {
		a := b.send(t, get(path)).requireInvocationSize()
		entries = append(entries, decode[[]fields](a, http.StatusOK)...)
		pages++
		path = ""
		if next := nextLink.FindStringSubmatch(a.Header().Get("Link")); next != nil {
			path = next[1]
		}
	}
	return entries, pages
}

// The list of jobs shortens many and long headers and marks them as shortened.
func TestLongHeadersInImportList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	header := make([]string, 500)
	for i := range header {
		header[i] = strings.Repeat("\"<&>\u0001", 190) + fmt.Sprint(i)
	}
	dialect, err := json.Marshal(fields{"format": "csv", "headerRow": 1, "header": header})
	require.NoError(t, err)
	for range 20 {
		id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
		b.inTx(t, func(tx pgx.Tx) error {
			return b.DB.SaveAnalysis(t.Context(), tx, b.job(t, 1, id).Key, job.Analysis{Dialect: dialect})
		})
	}
	small := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.inTx(t, func(tx pgx.Tx) error {
		return b.DB.SaveAnalysis(t.Context(), tx, b.job(t, 1, small).Key, job.Analysis{Dialect: json.RawMessage(`{"format":"csv","headerRow":1,"header":["a","b"]}`)})
	})
	listed, _ := b.readAllPages(t, "/api/imports?size=200")
	require.Len(t, listed, 21)
	require.NotContains(t, listed[1], "detected", "list entries have no headers")
	b.readAllPages(t, "/v1/imports?size=200")
}

// With 2,000 values of 1,200 characters every response fits the limit, pages are complete, and the
// decisions of a PUT are saved.
func TestLongValuesArePaged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	cells := make([]job.MappedCell, 2000)
	for i := range cells {
		cells[i] = job.MappedCell{TargetField: "ID_COUNTRY", Value: fmt.Sprintf("%05d %s", i, strings.Repeat("\"<x>", 300)), Status: job.AutoMatched, EntityID: "7", Rows: 1, FirstRow: int64(i + 10)}
	}
	b.inTx(t, func(tx pgx.Tx) error { return b.DB.AddCellMappings(t.Context(), tx, b.job(t, 1, id), cells) })

	path := "/api/imports/" + id + "/cell-mappings"
	for _, size := range []string{"?size=10000", "?size=70"} {
		listed, pages := b.readAllPages(t, path+size)
		require.Len(t, listed, 2004)
		require.Greater(t, pages, 3)
		seen := make(map[any]bool)
		for _, c := range listed {
			seen[c["id"]] = true
		}
		require.Len(t, seen, 2004, "each value is listed once")
	}
	b.do(t, get(path+"?page=1&cursor=3")).requireProblem(400, problem.ParameterInvalid)

	doc := decode[fields](b.send(t, get("/api/imports/"+id+"?includeMappings=true")).requireInvocationSize(), http.StatusOK)
	require.Equal(t, true, doc["moreCellMappings"])
	require.NotContains(t, doc, "moreColumnMappings")

	a := b.send(t, request{
		method: "PUT", path: path, contentType: "application/json",
		body: `[{"targetField": "ID_COUNTRY", "ignore": true}, {"targetField": "MEMBERSHIP_TYPE_ID", "targetEntityId": 7}]`,
	}).requireInvocationSize()
	require.Equal(t, "2004", a.Header().Get("X-Total-Count"))
	require.NotEmpty(t, decode[[]fields](a, http.StatusAccepted))
	require.Regexp(t, nextLink, a.Header().Get("Link"))
	b.sendJSON(t, "PUT", id, "cell-mappings", []fields{{"targetField": "ID_COUNTRY", "ignore": true, "confirm": true}}).requireProblem(422, problem.MappingInvalid)
	b.sendJSON(t, "POST", id, "cell-mappings/confirm", nil).requireInvocationSize()
}

// Rows with an error in every column are paged.
func TestWideRowsArePaged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	const rows = 700
	results := make([]job.RowResult, rows)
	for i := range results {
		for range 20 {
			results[i].Errors = append(results[i].Errors, rowwrite.Error{Code: "CELL_PATTERN", Field: "EMAIL", Value: strings.Repeat("\"<", 50), Message: strings.Repeat("m\\", 90)})
		}
		results[i].Row, results[i].Outcome = int64(i+2), rowwrite.Errored
	}
	b.finishJob(t, id, strings.Repeat("E", rows), results...)
	listed, pages := b.readAllPages(t, "/api/imports/"+id+"/results?size=1000")
	require.Len(t, listed, rows)
	require.Greater(t, pages, 1)
	for i, row := range listed {
		require.InEpsilon(t, i+2, row["rowNumber"], 0, "rows are listed once, in file order")
	}
	faults, _ := b.readAllPages(t, "/v1/imports/"+id+"/errors?size=1000")
	require.Len(t, faults, 20*rows)
	b.send(t, get("/v1/imports/"+id+"/errors?size=1000&format=ndjson")).requireInvocationSize()
	b.send(t, get("/api/memberships/import/"+id)).requireInvocationSize()
}

// Each route rejects a body larger than its limit.
func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	for path, size := range map[string]int{
		"POST /api/imports": 300 << 10, "POST /v1/imports": 300 << 10, "POST /v1/exports": 300 << 10, "PUT /api/webhook": 300 << 10,
		"PUT /api/imports/" + id + "/cell-mappings": 3 << 20, "PUT /api/imports/" + id + "/column-mappings": 3 << 20,
	} {
		method, address, _ := strings.Cut(path, " ")
		p := b.do(t, request{method: method, path: address, contentType: "application/json", body: `["` + strings.Repeat("x", size) + `"]`}).
			requireProblem(http.StatusRequestEntityTooLarge, problem.BodyTooLarge)
		require.Regexp(t, `\d+ KiB`, p["detail"])
	}
}
