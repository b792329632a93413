package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// The type of a problem is an address that describes it, without a token.
func TestProblemTypeResolves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	failed := b.do(t, request{method: "GET", path: "/api/imports/nothing"})
	failed.requireProblem(404, problem.NotFound)
	address := decode[fields](failed, http.StatusNotFound)["type"].(string)
	require.Equal(t, "/problems/NOT_FOUND", address)

	described := decode[fields](b.do(t, request{method: "GET", path: address, anonymous: true}), http.StatusOK)
	require.Equal(t, "NOT_FOUND", described["code"])
	require.Equal(t, "Not found", described["title"])
	require.InDelta(t, 404, described["status"], 0)
	require.NotEmpty(t, described["cause"])
	require.NotEmpty(t, described["remedy"])

	page := b.do(t, request{method: "GET", path: address, anonymous: true, headers: map[string]string{"Accept": "text/html,*/*"}})
	require.Equal(t, http.StatusOK, page.Code)
	require.Equal(t, "text/html; charset=utf-8", page.Header().Get("Content-Type"))
	require.Contains(t, page.Body.String(), "<h1>Not found</h1>")
	require.Contains(t, page.Body.String(), "<code>loadbay whoami</code>")
	require.NotContains(t, page.Header().Get("Content-Security-Policy"), "script")

	b.do(t, request{method: "GET", path: "/problems/%3Cb%3E", anonymous: true}).requireProblem(404, problem.NotFound)
	b.do(t, request{method: "GET", path: "/problems/not_found", anonymous: true}).requireProblem(404, problem.NotFound)
}
