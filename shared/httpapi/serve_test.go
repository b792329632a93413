package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestRequestID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := regexp.MustCompile(`^[0-9a-f-]{36}$`)
	for _, id := range []string{"trace-42", "a/b:c=d@e+f.g_h", strings.Repeat("x", 128)} {
		a := b.do(t, request{method: "GET", path: "/api/imports", headers: map[string]string{"X-Request-ID": id}})
		require.Equal(t, id, a.Header().Get("X-Request-ID"), "echoed")
	}
	for _, id := range []string{"", "with space", "semi;colon", "new\nline", "ü", `quo"te`, strings.Repeat("x", 129)} {
		a := b.do(t, request{method: "GET", path: "/api/imports", headers: map[string]string{"X-Request-ID": id}})
		require.Regexp(t, made, a.Header().Get("X-Request-ID"), "made anew")
	}
}

// TestRequestIDStandsInEveryLine: all that is logged about a request carries its
// id, and what is logged about its job the job's too.
func TestRequestIDStandsInEveryLine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc := decode[fields](b.importRoster(t, map[string]string{"X-Request-ID": "r-1"}), http.StatusAccepted)
	lines := b.logs.lines(t)
	require.NotEmpty(t, lines)
	accepted := false
	for _, line := range lines {
		require.Equal(t, "r-1", line["request_id"], line)
		if line["msg"] == "import accepted" {
			accepted = true
			require.Equal(t, doc["identifier"], line["job_id"])
		}
	}
	require.True(t, accepted)
}

func TestUnknownAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/", "/api", "/api/import", "/api/imports/", "/v2/imports", "/api/imports/x/y"} {
		b.do(t, get(path)).refused(404, problem.NotFound)
	}
	a := b.do(t, request{method: "PATCH", path: "/api/imports"})
	a.refused(405, problem.MethodNotAllowed)
	require.Equal(t, "GET, HEAD, POST", a.Header().Get("Allow"))
	a = b.do(t, request{method: "POST", path: "/api/memberships/import"})
	a.refused(405, problem.MethodNotAllowed)
	require.Equal(t, "PUT", a.Header().Get("Allow"))
}

func TestCallers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read, write := get("/api/imports"), request{method: "POST", path: "/api/imports", contentType: "application/json", body: "{}"}
	with := func(r request, claims map[string]string) request { r.claims = claims; return r }
	anonymous := read
	anonymous.anonymous = true
	b.do(t, anonymous).refused(401, problem.Unauthorized)
	for _, organisation := range []string{"", "0", "-1", "one", "1.5", "99999999999999999999"} {
		b.do(t, with(read, map[string]string{"organisation_id": organisation})).refused(403, problem.OrgRequired)
	}
	for _, scope := range []string{"", "imports:write", "imports:reader", "exports:read"} {
		b.do(t, with(read, map[string]string{"scope": scope})).refused(403, problem.ScopeRequired)
	}
	b.do(t, with(write, map[string]string{"scope": "imports:read"})).refused(403, problem.ScopeRequired)
	require.Equal(t, http.StatusOK, b.do(t, with(read, map[string]string{"scope": "exports:read imports:read"})).Code)
}

func TestOpenAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/health", "/openapi.yaml"} {
		require.Equal(t, http.StatusOK, b.do(t, request{method: "GET", path: path, anonymous: true}).Code)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc := decode[fields](b.do(t, get("/health")), http.StatusOK)
	require.Equal(t, fields{"status": "UP", "version": "v1.2.3", "parts": fields{"database": "UP", "bucket": "UP"}}, doc)
	b.health.set(errors.New("password=secret"))
	a := b.do(t, get("/health"))
	doc = decode[fields](a, http.StatusServiceUnavailable)
	require.Equal(t, fields{"status": "DOWN", "version": "v1.2.3", "parts": fields{"database": "UP", "bucket": "DOWN"}}, doc)
	require.NotContains(t, a.Body.String(), "secret")
}

func TestTypes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	types := make(map[any]fields)
	for _, doc := range decode[[]fields](b.do(t, get("/api/import-types")), http.StatusOK) {
		types[doc["name"]] = doc
	}
	require.Equal(t, fields{"param": "periodId", "title": "membership period"}, types["MEMBERSHIP"]["context"])
	require.Equal(t, "users", types["USER"]["resource"])
	require.Nil(t, types["USER"]["context"])
}

// A request that runs out of time is answered by the service and not by the gateway.
func TestARequestThatTakesTooLongSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	r := httptest.NewRequestWithContext(httpapi.WithClaims(ctx, map[string]string{"organisation_id": "1", "scope": "imports:read"}), "GET", "/api/imports", nil)
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	a := answer{w, t}
	a.refused(http.StatusServiceUnavailable, problem.Unavailable)
	require.Equal(t, "application/problem+json", a.Header().Get("Content-Type"))
	require.NotEmpty(t, a.Header().Get("Retry-After"))
}
