package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// exportQueue records queued exports.
type exportQueue struct {
	mu      sync.Mutex
	queued  []job.ExportRef
	fetches []job.Ref
	hold    chan struct{} // blocks queueing until it is closed; nil: no blocking
}

func (q *exportQueue) SendExport(_ context.Context, ref job.ExportRef) error {
	if q.hold != nil {
		<-q.hold
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queued = append(q.queued, ref)
	return nil
}

func (*fakeObjects) PresignGet(_ context.Context, key, disposition string, lifetime time.Duration) (string, error) {
	return fmt.Sprintf("https://bucket.example/%s?as=%s&for=%s", key, url.QueryEscape(disposition), lifetime), nil
}

const threeUsers = `INSERT INTO users (organisation_id, id, email, name, role, active, created_at, updated_at) VALUES
	(1, '00000000-0000-4000-8000-000000000001', 'a@x.org', 'Ada, "the first"', 'editor', true, '2026-01-02T03:04:05.5Z', '2026-01-02T00:00:00Z'),
	(1, '00000000-0000-4000-8000-000000000002', 'b@x.org', '=cmd()', 'user', false, '2026-02-02T03:04:05Z', '2026-02-02T00:00:00Z'),
	(2, '00000000-0000-4000-8000-000000000003', 'c@x.org', 'Foreign', 'user', true, '2026-03-02T03:04:05Z', '2026-03-02T00:00:00Z')`

func TestSmallExportIsInline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, threeUsers)
	get := func(query string) apiResponse {
		return b.do(t, request{method: "GET", path: "/v1/exports?resource=users" + query})
	}

	a := get("&fields=email,name,active,created_at")
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	require.Equal(t, "email,name,active,created_at\r\n"+
		"a@x.org,\"Ada, \"\"the first\"\"\",true,2026-01-02T03:04:05.5Z\r\n"+
		"b@x.org,'=cmd(),false,2026-02-02T03:04:05Z\r\n", a.Body.String())
	require.Equal(t, `attachment; filename="users.csv"`, a.Header().Get("Content-Disposition"))
	require.Equal(t, "2", a.Header().Get("X-Total-Count"))

	for filters, want := range map[string]string{
		`{"role":"editor"}`: "a@x.org", `{"active":false}`: "b@x.org", `{"role":["user","author"]}`: "b@x.org",
		`{"created_at":{"from":"2026-02-01"}}`: "b@x.org", `{"created_at":{"before":"2026-02-01T00:00:00Z"}}`: "a@x.org",
		`{"id":"00000000-0000-4000-8000-000000000001"}`: "a@x.org",
	} {
		a = get("&format=ndjson&fields=email&filters=" + url.QueryEscape(filters))
		require.Equal(t, `{"email":"`+want+`"}`+"\n", a.Body.String(), filters)
	}

	a = get("&format=xlsx")
	require.Equal(t, http.StatusOK, a.Code)
	require.True(t, strings.HasPrefix(a.Body.String(), "PK"))
}

func TestInvalidExportParameters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, code := range map[string]problem.Code{
		"resource=nothing":             problem.ImportTypeUnknown,
		"resource=users&format=pdf":    problem.ParameterInvalid,
		"resource=users&fields=secret": problem.ParameterInvalid,
		"resource=users&fields=id,id":  problem.ParameterInvalid,
		"resource=users&filters=x":     problem.ParameterInvalid,
		"resource=users&where=1":       problem.ParameterInvalid,
		"resource=users&filters=" + url.QueryEscape(`{"id":"1' OR true"}`):        problem.ParameterInvalid,
		"resource=users&filters=" + url.QueryEscape(`{"name":{"from":"a"}}`):      problem.ParameterInvalid,
		"resource=users&filters=" + url.QueryEscape(`{"context_id":1}`):           problem.ParameterInvalid,
		"resource=users&filters=" + url.QueryEscape(`{"created_at":"yesterday"}`): problem.ParameterInvalid,
	} {
		b.do(t, request{method: "GET", path: "/v1/exports?" + query}).requireProblem(http.StatusBadRequest, code)
	}
	b.do(t, request{method: "GET", path: "/v1/exports?resource=users", claims: map[string]string{"scope": "imports:read"}}).
		requireProblem(http.StatusForbidden, problem.ScopeRequired)
}

func TestLargeExportRedirectsToStream(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `INSERT INTO users (organisation_id, email, name) SELECT 1, n || '@x.org', repeat('x', 190) FROM generate_series(1, 30000) AS n`)
	b.requireStreamRedirect(t, "/v1/exports?resource=users&format=csv&fields=email,name")
}

// The number of rows decides, because the size of a workbook is known only at its end.
func TestExportOfManyRowsRedirectsToStream(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `INSERT INTO users (organisation_id, email, name) SELECT 1, n || '@x.org', 'x' FROM generate_series(1, 50001) AS n`)
	b.requireStreamRedirect(t, "/v1/exports?resource=users&format=xlsx&fields=email")
	few := b.do(t, request{method: "GET", path: "/v1/exports?resource=users&fields=email&filters=" + url.QueryEscape(`{"name":"y"}`)})
	require.Equal(t, http.StatusOK, few.Code)
}

// Where function URLs do not stream, a large export is refused with what to do instead, and a small
// one is in the response.
func TestExportsWithoutStreams(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *httpapi.Dependencies) { d.StreamSwitch = "off" })
	b.Exec(t, `INSERT INTO users (organisation_id, email, name) SELECT 1, n || '@x.org', 'x' FROM generate_series(1, 50001) AS n`)
	a := b.do(t, request{method: "GET", path: "/v1/exports?resource=users&format=csv&fields=email"})
	require.Equal(t, http.StatusRequestEntityTooLarge, a.Code)
	require.Contains(t, a.Body.String(), "POST /v1/exports")
	require.Equal(t, http.StatusOK, b.do(t, request{method: "GET", path: "/v1/exports?resource=users&fields=email&filters=" + url.QueryEscape(`{"name":"y"}`)}).Code)
	var off httpapi.StreamSwitch
	require.NoError(t, off.UnmarshalText([]byte("off")))
	require.ErrorContains(t, off.UnmarshalText([]byte("perhaps")), `"perhaps" is neither on nor off`)
}

// requireStreamRedirect checks that a request is redirected to its stream, and returns the query of
// the address.
func (b *bundle) requireStreamRedirect(t *testing.T, path string) url.Values {
	t.Helper()
	a := b.do(t, request{method: "GET", path: path, headers: map[string]string{"X-Request-ID": "mine"}})
	doc := decode[fields](a, http.StatusTemporaryRedirect)
	require.Equal(t, a.Header().Get("Location"), doc["url"])
	require.Contains(t, doc["detail"], "POST /v1/exports")
	require.Equal(t, "no-store", a.Header().Get("Cache-Control"))
	address, err := url.Parse(a.Header().Get("Location"))
	require.NoError(t, err)
	require.Equal(t, "stream.example", address.Host)
	query := address.Query()
	require.Equal(t, "1", query.Get("organisation"))
	require.Equal(t, "mine", query.Get("request_id"))
	asked, err := url.Parse(path)
	require.NoError(t, err)
	for name := range asked.Query() {
		require.Equal(t, asked.Query()[name], query[name])
	}
	return query
}

// A page in a browser requests the address of the stream, also for a file that would fit into a
// response.
func TestStreamURLWithoutRedirect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/v1/exports?resource=users&format=csv&fields=email"
	a := b.do(t, request{method: "GET", path: path + "&redirect=false"})
	address, err := url.Parse(decode[fields](a, http.StatusOK)["url"].(string))
	require.NoError(t, err)
	require.Empty(t, a.Header().Get("Location"))
	require.Equal(t, "stream.example", address.Host)
	require.Equal(t, "users", address.Query().Get("resource"))
	require.NotContains(t, address.Query(), "redirect", "the stream URL has no redirect parameter")
	require.Equal(t, http.StatusOK, b.do(t, request{method: "GET", path: path + "&redirect=true"}).Code)
	b.do(t, request{method: "GET", path: path + "&redirect=no"}).requireProblem(http.StatusBadRequest, problem.ParameterInvalid)
}

func (b *bundle) createExport(t *testing.T, key, body string) apiResponse {
	t.Helper()
	return b.do(t, request{method: "POST", path: "/v1/exports", body: body, contentType: "application/json", headers: map[string]string{"Idempotency-Key": key}})
}

func TestExportIsIdempotent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const body = `{"resource_type":"users","format":"ndjson","fields":["email"],"filters":{"role":"editor"}}`
	first := decode[fields](b.createExport(t, "k", body), http.StatusAccepted)
	require.Equal(t, "pending", first["status"])
	require.Equal(t, fields{"role": "editor"}, first["filters"])
	require.Equal(t, []any{"email"}, first["fields"])
	again := decode[fields](b.createExport(t, "k", body), http.StatusOK)
	require.Equal(t, first["job_id"], again["job_id"])
	b.createExport(t, "k", `{"resource_type":"users"}`).requireProblem(http.StatusUnprocessableEntity, problem.IdempotencyMismatch)
	require.Equal(t, []job.ExportRef{{ExportID: job.ExportID(first["job_id"].(string)), OrganisationID: 1}}, b.exports.queued)
	b.createExport(t, "other", `{"resource_type":"users","columns":[]}`).requireProblem(http.StatusBadRequest, problem.BadJSON)
}

func TestDownloadCompletedExport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.createExport(t, "k", `{"resource_type":"users"}`), http.StatusAccepted)["job_id"].(string)
	download := request{method: "GET", path: "/v1/exports/" + id + "/download"}
	b.do(t, download).requireProblem(http.StatusConflict, problem.StillRunning)
	b.inTx(t, func(tx pgx.Tx) error {
		started, err := b.DB.StartExport(t.Context(), tx, job.ExportID(id))
		require.True(t, started)
		require.NoError(t, err)
		completed, err := b.DB.CompleteExport(t.Context(), tx, job.ExportID(id), 7, 70)
		require.True(t, completed)
		return err
	})
	done := decode[fields](b.do(t, request{method: "GET", path: "/v1/exports/" + id}), http.StatusOK)
	require.Equal(t, "completed", done["status"])
	require.InEpsilon(t, 7, done["record_count"], 0)
	require.Equal(t, "/v1/exports/"+id+"/download", done["download_url"])
	b.do(t, download).requireProblem(http.StatusGone, problem.Gone)
	b.objects.stored["exports/1/"+id+".csv"] = "x"
	found := b.do(t, download)
	require.Equal(t, http.StatusFound, found.Code, found.Body)
	require.Contains(t, found.Header().Get("Location"), "exports/1/"+id+".csv")
	for _, under := range []string{"/v1/exports/", "/api/exports/"} { // a page in a browser gets the address of the file
		response := b.do(t, request{method: "GET", path: under + id + "/download?redirect=false"})
		require.Contains(t, decode[fields](response, http.StatusOK)["url"], "exports/1/"+id+".csv")
		require.Empty(t, response.Header().Get("Location"))
	}
	b.do(t, request{method: "POST", path: "/v1/exports/" + id + "/cancel"}).requireProblem(http.StatusConflict, problem.StateConflict)

	foreign := map[string]string{"organisation_id": "2"}
	for _, r := range []request{
		{method: "GET", path: "/v1/exports/" + id}, {method: "GET", path: "/v1/exports/" + id + "/download"}, {method: "POST", path: "/v1/exports/" + id + "/cancel"},
	} {
		r.claims = foreign
		b.do(t, r).requireProblem(http.StatusNotFound, problem.NotFound)
	}
}

func TestCancelledExportIsNotWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.createExport(t, "k", `{"resource_type":"users"}`), http.StatusAccepted)["job_id"].(string)
	gone := decode[fields](b.do(t, request{method: "POST", path: "/v1/exports/" + id + "/cancel"}), http.StatusOK)
	require.Equal(t, "cancelled", gone["status"])
	b.inTx(t, func(tx pgx.Tx) error {
		started, err := b.DB.StartExport(t.Context(), tx, job.ExportID(id))
		require.False(t, started)
		return err
	})
	b.do(t, request{method: "GET", path: "/v1/exports/" + id + "/download"}).requireProblem(http.StatusConflict, problem.StateConflict)
}
