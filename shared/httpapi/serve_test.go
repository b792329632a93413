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

	"github.com/stretchr/testify/assert"
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
		require.Regexp(t, made, a.Header().Get("X-Request-ID"), "an invalid request id is replaced")
	}
}

// All log lines about a request contain its id, and log lines about a job also contain the id of the
// job's request.
func TestRequestIDIsLogged(t *testing.T) {
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
		b.do(t, get(path)).requireProblem(404, problem.NotFound)
	}
	a := b.do(t, request{method: "PATCH", path: "/api/imports"})
	a.requireProblem(405, problem.MethodNotAllowed)
	require.Equal(t, "GET, HEAD, POST", a.Header().Get("Allow"))
	a = b.do(t, request{method: "POST", path: "/api/memberships/import"})
	a.requireProblem(405, problem.MethodNotAllowed)
	require.Equal(t, "PUT", a.Header().Get("Allow"))
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read, write := get("/api/imports"), request{method: "POST", path: "/api/imports", contentType: "application/json", body: "{}"}
	with := func(r request, claims map[string]string) request { r.claims = claims; return r }
	anonymous := read
	anonymous.anonymous = true
	b.do(t, anonymous).requireProblem(401, problem.Unauthorized)
	for _, organisation := range []string{"", "0", "-1", "one", "1.5", "99999999999999999999", "+1", "01", " 1", "1 ", "1e0", "[1]", "1,2"} {
		b.do(t, with(read, map[string]string{"organisation_id": organisation})).requireProblem(403, problem.OrgRequired)
	}
	for _, organisation := range []string{"01", "%2B1", "1%20"} {
		b.do(t, get("/api/imports?organisationId="+organisation)).requireProblem(400, problem.ParameterInvalid)
	}
	for _, scope := range []string{
		"", "imports:write", "imports:reader", "exports:read", "ximports:read", "imports:", "imports:*", "*", "IMPORTS:READ", "exports:read,imports:read", "imports:read,exports:read",
		"exports:read\timports:read", "exports:read\nimports:read", "exports:read\u00a0imports:read", "[imports:reader]", "[exports:read,imports:read]", "[imports:read", "imports:read]",
		`["imports:read exports:read"]`, `["imports:reader"]`, `[1,"imports:read"]`,
	} {
		b.do(t, with(read, map[string]string{"scope": scope, "scp": "imports:read"})).requireProblem(403, problem.ScopeRequired)
	}
	for _, scope := range []string{"imports:read", "exports:read imports:read", "[imports:read]", "[exports:read imports:read]", `["exports:read","imports:read"]`} {
		require.Equal(t, http.StatusOK, b.do(t, with(read, map[string]string{"scope": scope})).Code, scope)
	}
	b.do(t, with(write, map[string]string{"scope": "imports:read"})).requireProblem(403, problem.ScopeRequired)
	require.Equal(t, http.StatusOK, b.do(t, with(read, map[string]string{"scope": "exports:read imports:read"})).Code)
}

// Some issuers use the claim scp; it applies if there is no claim scope.
func TestScpClaim(t *testing.T) {
	t.Parallel()
	b := setup(t)
	status := func(claims map[string]string) int {
		r := httptest.NewRequestWithContext(httpapi.WithClaims(t.Context(), claims), http.MethodGet, "/api/imports", http.NoBody)
		w := httptest.NewRecorder()
		b.handler.ServeHTTP(w, r)
		return w.Code
	}
	require.Equal(t, http.StatusOK, status(map[string]string{"organisation_id": "1", "scp": "[openid imports:read]"}))
	require.Equal(t, http.StatusOK, status(map[string]string{"organisation_id": "1", "scp": "openid imports:read"}))
	require.Equal(t, http.StatusForbidden, status(map[string]string{"organisation_id": "1", "scp": "openid imports:readers"}))
	require.Equal(t, http.StatusForbidden, status(map[string]string{"organisation_id": "1"}))
}

// All responses, including errors and files, have the headers: an organisation's data must not be
// cached or displayed as a page.
func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	anonymous := get("/api/imports")
	anonymous.anonymous = true
	for want, r := range map[int]request{
		http.StatusOK: get("/openapi.yaml"), http.StatusUnauthorized: anonymous, http.StatusNotFound: get("/nowhere"),
		http.StatusMethodNotAllowed: {method: "PATCH", path: "/api/imports"}, http.StatusBadRequest: get("/api/imports?page=x"),
	} {
		a := b.do(t, r)
		require.Equal(t, want, a.Code)
		requireProtected(t, a.Header())
	}
	requireProtected(t, b.do(t, get("/health")).Header())
	requireProtected(t, b.do(t, get("/api/import-types/USER/template.xlsx")).Header())
	requireProtected(t, b.do(t, get("/v1/exports?resource=users")).Header())
}

func requireProtected(t *testing.T, h http.Header) {
	t.Helper()
	require.Equal(t, "no-store", h.Get("Cache-Control"))
	require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
	require.Equal(t, "default-src 'none'; frame-ancestors 'none'", h.Get("Content-Security-Policy"))
	require.Equal(t, "no-referrer", h.Get("Referrer-Policy"))
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/health", "/openapi.yaml"} {
		require.Equal(t, http.StatusOK, b.do(t, request{method: "GET", path: path, anonymous: true}).Code)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NotContains(t, decode[fields](b.do(t, get("/health")), http.StatusOK)["parts"], "database")
	// On a busy machine, the database may take longer than a check waits.
	require.Eventually(t, func() bool {
		return b.do(t, get("/health?deep=true")).Code == http.StatusOK
	}, time.Minute, 100*time.Millisecond)
	doc := decode[fields](b.do(t, get("/health?deep=true")), http.StatusOK)
	checked, err := time.Parse(time.RFC3339, doc["checkedAt"].(string))
	require.NoError(t, err)
	require.WithinRange(t, checked, time.Now().Add(-2*time.Minute), time.Now())
	delete(doc, "checkedAt")
	require.Equal(t, fields{"status": "UP", "version": "v1.2.3", "parts": fields{"database": "UP", "bucket": "UP"}}, doc)
}

func TestHealthOfUnavailableParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.health.set(errors.New("password=secret"))
	// On a busy machine, the database may take longer than a check waits.
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		a := b.do(t, get("/health?deep=true"))
		doc := decode[fields](a, http.StatusServiceUnavailable)
		delete(doc, "checkedAt")
		assert.Equal(c, fields{"status": "DOWN", "version": "v1.2.3", "parts": fields{"database": "UP", "bucket": "DOWN"}}, doc)
		assert.NotContains(c, a.Body.String(), "secret")
	}, time.Minute, 100*time.Millisecond)
}

func TestListTypes(t *testing.T) {
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

// A request that times out gets its response from the service and not from the gateway.
func TestRequestTimeout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	r := httptest.NewRequestWithContext(httpapi.WithClaims(ctx, map[string]string{"organisation_id": "1", "scope": "imports:read"}), "GET", "/api/imports", nil)
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	a := apiResponse{w, t}
	a.requireProblem(http.StatusServiceUnavailable, problem.Unavailable)
	require.Equal(t, "application/problem+json", a.Header().Get("Content-Type"))
	require.NotEmpty(t, a.Header().Get("Retry-After"))
}
