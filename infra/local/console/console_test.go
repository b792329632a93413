package console_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/console"
)

// writeBuild returns a folder with a build in it, and a secret next to it.
func writeBuild(t *testing.T) string {
	folder := filepath.Join(t.TempDir(), "dist")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "assets"), 0o755))
	for name, content := range map[string]string{"index.html": "the page", "assets/a-123.js": "a script", "assets/reader.wasm-1.gz": "packed", "../secret.txt": "a secret"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	return folder
}

func getPath(t *testing.T) func(method, address string) *httptest.ResponseRecorder {
	c, err := console.Open(writeBuild(t), "http://files.test:4566")
	require.NoError(t, err)
	handler := c.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "the API", http.StatusTeapot) }))
	return func(method, address string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, address, nil))
		return w
	}
}

func TestRouting(t *testing.T) {
	t.Parallel()
	get := getPath(t)
	for address, want := range map[string]string{
		"/": "the page", "/imports/new": "the page", "/apiary": "the page", "/v12": "the page", "/index.html": "the page",
		"/assets/a-123.js": "a script",
		"/api":             "the API\n", "/api/imports": "the API\n", "/api/nothing": "the API\n", "/v1/imports": "the API\n", "/docs": "the API\n",
		"/health": "the API\n", "/openapi.yaml": "the API\n", "/redoc.js": "the API\n", "/local/token": "the API\n", "/metrics": "the API\n",
		"/assets/gone-1.js": "404 page not found\n", "/../secret.txt": "404 page not found\n", "/assets/../../secret.txt": "404 page not found\n",
	} {
		require.Equal(t, want, get(http.MethodGet, address).Body.String(), address)
	}
	require.Equal(t, http.StatusTeapot, get(http.MethodPost, "/imports/new").Code, "a page accepts no POST")
}

func TestPagesHaveSecurityPolicy(t *testing.T) {
	t.Parallel()
	get := getPath(t)
	h := get(http.MethodGet, "/imports").Header()
	policy := h.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.Contains(t, policy, "connect-src 'self' http://files.test:4566;")
	require.NotContains(t, strings.ReplaceAll(policy, "'wasm-unsafe-eval'", ""), "unsafe")
	require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
	require.Equal(t, "no-cache", h.Get("Cache-Control"), "browsers revalidate pages, so that a new release appears at once")
	require.Equal(t, "text/html; charset=utf-8", h.Get("Content-Type"))
	require.Contains(t, get(http.MethodGet, "/assets/a-123.js").Header().Get("Cache-Control"), "immutable")
	reader := get(http.MethodGet, "/assets/reader.wasm-1.gz").Header()
	require.Contains(t, reader.Get("Cache-Control"), "immutable")
	require.Equal(t, "application/gzip", reader.Get("Content-Type"))
	require.Empty(t, reader.Get("Content-Encoding"), "the page decompresses the file itself")
}

func TestOpenWithoutBuildFails(t *testing.T) {
	t.Parallel()
	_, err := console.Open(t.TempDir(), "")
	require.ErrorIs(t, err, console.ErrNotBuilt)
}
