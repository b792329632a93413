package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

const page = "http://localhost:5173"

// Pages of a configured origin may make requests, pages of other origins may not; a
// preflight needs no token.
func TestCORSOrigins(t *testing.T) {
	t.Parallel()
	rules := gateway.CORS{Origins: []string{page}, Methods: []string{"GET", "PATCH"}, Headers: []string{"Authorization", "If-Match"}, ExposedHeaders: []string{"ETag", "Link"}, MaxAge: time.Hour}
	b := setup(t, respondWith(`{"statusCode":200,"body":"{}"}`), func(c *gateway.Config) { c.CORS, c.TokenRequired = rules, true })
	preflight := func(origin string) http.Header {
		return http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"PATCH"}, "Access-Control-Request-Headers": {"authorization"}}
	}

	response, body := b.do(t, "OPTIONS", "/api/imports/1", nil, preflight(page))
	require.Equal(t, http.StatusNoContent, response.StatusCode)
	require.Empty(t, body)
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": page, "Access-Control-Allow-Methods": "GET,PATCH", "Access-Control-Allow-Headers": "Authorization,If-Match",
		"Access-Control-Max-Age": "3600", "Vary": "Origin",
	} {
		require.Equal(t, want, response.Header.Get(name), name)
	}
	response, _ = b.do(t, "OPTIONS", "/api/imports/1", nil, preflight("https://elsewhere.example"))
	require.Equal(t, http.StatusNoContent, response.StatusCode)
	for name := range response.Header {
		require.False(t, strings.HasPrefix(name, "Access-Control"), name)
	}
	response, _ = b.do(t, "OPTIONS", "/api/imports/1", nil, http.Header{"Origin": {page}})
	require.Equal(t, http.StatusUnauthorized, response.StatusCode, "OPTIONS without a preflight header needs a token")

	response, _ = b.do(t, "GET", "/api/imports", nil, http.Header{"Origin": {page}})
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Equal(t, page, response.Header.Get("Access-Control-Allow-Origin"), "the page may read the error")
	response, _ = b.do(t, "GET", "/health", nil, http.Header{"Origin": {page}})
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "ETag,Link", response.Header.Get("Access-Control-Expose-Headers"))
	response, _ = b.do(t, "GET", "/health", nil, http.Header{"Origin": {"https://elsewhere.example"}})
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
}

// Without origins, responses have no CORS headers, as on AWS without CORS rules.
func TestCORSWithoutOrigins(t *testing.T) {
	t.Parallel()
	b := setup(t, respondWith(`{"statusCode":200,"body":"{}"}`))
	response, _ := b.do(t, "GET", "/health", nil, http.Header{"Origin": {page}})
	require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
	response, _ = b.do(t, "OPTIONS", "/health", nil, http.Header{"Origin": {page}, "Access-Control-Request-Method": {"GET"}})
	require.Equal(t, http.StatusOK, response.StatusCode, "OPTIONS reaches the function")
}
