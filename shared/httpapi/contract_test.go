package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// generic lists the endpoints of every import; "{importId}" is replaced by its id.
var generic = []struct{ method, path, scope string }{
	{"GET", "/api/imports/{importId}", "imports:read"},
	{"DELETE", "/api/imports/{importId}", "imports:write"},
	{"GET", "/api/imports/{importId}/preview", "imports:read"},
	{"GET", "/api/imports/{importId}/column-mappings", "imports:read"},
	{"PUT", "/api/imports/{importId}/column-mappings", "imports:write"},
	{"POST", "/api/imports/{importId}/column-mappings/confirm", "imports:write"},
	{"GET", "/api/imports/{importId}/mapping", "imports:read"},
	{"PUT", "/api/imports/{importId}/mapping", "imports:write"},
	{"POST", "/api/imports/{importId}/mapping/preview", "imports:write"},
	{"GET", "/api/imports/{importId}/cell-mappings", "imports:read"},
	{"PUT", "/api/imports/{importId}/cell-mappings", "imports:write"},
	{"GET", "/api/imports/{importId}/cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID", "imports:read"},
	{"POST", "/api/imports/{importId}/cell-mappings/confirm", "imports:write"},
	{"POST", "/api/imports/{importId}/start", "imports:write"},
	{"GET", "/api/imports/{importId}/upload", "imports:write"},
	{"POST", "/api/imports/{importId}/upload/complete?uploadId=u", "imports:write"},
	{"GET", "/api/imports/{importId}/source", "imports:read"},
	{"GET", "/api/imports/{importId}/results", "imports:read"},
	{"GET", "/api/imports/{importId}/results/summary", "imports:read"},
	{"GET", "/api/imports/{importId}/changes", "imports:read"},
	{"GET", "/api/imports/{importId}/changes/summary", "imports:read"},
	{"GET", "/api/imports/{importId}/stale", "imports:read"},
	{"GET", "/api/imports/{importId}/changes.ndjson", "imports:read"},
	{"GET", "/api/imports/{importId}/changes.xlsx", "imports:read"},
	{"GET", "/api/imports/{importId}/errors.xlsx", "imports:read"},
	{"GET", "/api/imports/{importId}/rows/counts", "imports:read"},
	{"DELETE", "/api/imports/{importId}/rows/corrections", "imports:write"},
	{"POST", "/api/imports/{importId}/retry", "imports:write"},
	{"POST", "/api/imports/{importId}/undo", "imports:write"},
	{"POST", "/api/imports/{importId}/annotated", "imports:write"},
	{"GET", "/api/imports/{importId}/annotated.xlsx", "imports:read"},
	{"GET", "/api/imports/{importId}/profile-offers", "imports:read"},
}

// Generic endpoints reject imports of other organisations, unknown imports, and callers without
// the scope.
func TestGenericEndpointsRejectOtherImports(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	for _, e := range generic {
		t.Run(e.method+" "+e.path, func(t *testing.T) {
			t.Parallel()
			at := func(id string) request {
				return request{method: e.method, path: strings.Replace(e.path, "{importId}", id, 1), body: "[]", contentType: "application/json"}
			}
			b.do(t, at("00000000-0000-4000-8000-000000000000")).requireProblem(404, problem.NotFound)
			b.do(t, at("1")).requireProblem(404, problem.NotFound)
			foreign := at(id)
			foreign.claims = map[string]string{"organisation_id": "2"}
			b.do(t, foreign).requireProblem(404, problem.NotFound)
			anonymous := at(id)
			anonymous.anonymous = true
			b.do(t, anonymous).requireProblem(401, problem.Unauthorized)
			unable := at(id)
			unable.claims = map[string]string{"scope": map[string]string{"imports:read": "imports:write", "imports:write": "imports:read"}[e.scope]}
			b.do(t, unable).requireProblem(403, problem.ScopeRequired)
			trace := at(id)
			trace.method = "TRACE"
			b.do(t, trace).requireProblem(405, problem.MethodNotAllowed)
		})
	}
}

// A misspelt parameter is an error: if it were ignored, a list would contain everything.
func TestMisspeltParametersAreRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	for _, path := range []string{
		"/api/imports?stauts=FAILED", "/api/imports/" + id + "?includeMapping=true", "/api/imports/" + id + "/results?outcom=ERROR",
		"/api/imports/" + id + "/cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID&values=x",
	} {
		b.do(t, get(path)).requireProblem(400, problem.ParameterInvalid)
	}
}

// Each creating request is repeated, and its key is used for a different request.
func TestCreationsAreIdempotent(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	csv := func(path, file string) func(*testing.T, string) request {
		return func(t *testing.T, change string) request {
			t.Helper()
			body, kind := form(t, part{"file", "file.csv", file + change})
			method, address, _ := strings.Cut(path, " ")
			return request{method: method, path: address, body: body, contentType: kind}
		}
	}
	document := func(path, text string) func(*testing.T, string) request {
		return func(t *testing.T, change string) request {
			t.Helper()
			method, address, _ := strings.Cut(path, " ")
			return request{method: method, path: address, body: fmt.Sprintf(text, change), contentType: "application/json"}
		}
	}
	for name, c := range map[string]struct {
		ask   func(*testing.T, string) request
		first int
		id    string
	}{
		"generic endpoint, form": {func(t *testing.T, change string) request {
			t.Helper()
			body, kind := form(t, part{"importType", "", "USER"}, part{"file", "users.csv", users + change})
			return request{method: "POST", path: "/api/imports", body: body, contentType: kind}
		}, http.StatusCreated, "identifier"},
		"generic endpoint, announced upload": {document("POST /api/imports", `{"importType":"USER","filename":"users%s.csv","sizeBytes":10}`), http.StatusCreated, "identifier"},
		"memberships":                        {csv("PUT /api/memberships/import?periodId=11", roster), http.StatusAccepted, "identifier"},
		"participants":                       {csv("PUT /api/event-participants/import?eventId=31", "First name\nAda\n"), http.StatusAccepted, "identifier"},
		"results":                            {csv("PUT /api/result-sets/import-bulk?eventId=31", "Pos\n1\n"), http.StatusAccepted, "identifier"},
		"orders":                             {csv("POST /api/orders/bulk-uploads", orders), http.StatusAccepted, "batchId"},
		"bulk endpoint, URL":                 {document("POST /v1/imports", `{"resource_type":"users","url":"https://files.example/users%s.csv"}`), http.StatusAccepted, "job_id"},
		"exports":                            {document("POST /v1/exports", `{"resource_type":"users","format":"csv","fields":["id"%s]}`), http.StatusAccepted, "job_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := "x\n"
			switch name {
			case "exports":
				change = `,"email"`
			case "generic endpoint, announced upload", "bulk endpoint, URL":
				change = "2"
			}
			with := func(r request, key string) request {
				r.headers = map[string]string{"Idempotency-Key": key}
				return r
			}
			key := "key-of-" + strings.ReplaceAll(name, " ", "-")
			a := b.do(t, with(c.ask(t, ""), key))
			first := decode[fields](a, c.first)
			require.NotEmpty(t, a.Header().Get("Location"))
			require.NotEmpty(t, first[c.id], first)
			repeated := b.do(t, with(c.ask(t, ""), `"`+key+`"`))
			again := decode[fields](repeated, http.StatusOK)
			require.Equal(t, first[c.id], again[c.id])
			require.Equal(t, "Sun, 04 May 2031 03:02:01 GMT", a.Header().Get("Idempotency-Key-Expires"))
			if name != "orders" { // identified by content before the key is checked
				require.Equal(t, "Sun, 04 May 2031 03:02:01 GMT", repeated.Header().Get("Idempotency-Key-Expires"))
			}
			b.do(t, with(c.ask(t, change), key)).requireProblem(422, problem.IdempotencyMismatch)
			require.Empty(t, b.do(t, c.ask(t, change)).Header().Get("Idempotency-Key-Expires"), "no key, no expiry header")
		})
	}
}
