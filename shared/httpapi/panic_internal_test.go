package httpapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// A panic causes a 500 response and is logged with its origin; the next request is served.
func TestPanicFailsOneRequest(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := &api{Dependencies: Dependencies{Log: slog.New(slog.NewJSONHandler(&log, nil))}}
	h := a.serve([]route{
		{"GET", "/bad", "", func(http.ResponseWriter, *http.Request) error { panic("the secret reason") }},
		{"GET", "/good", "", func(w http.ResponseWriter, _ *http.Request) error { return writeJSON(w, http.StatusOK, "fine") }},
	}, maxInlineBytes)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/bad", nil))
	require.Equal(t, http.StatusInternalServerError, w.Code)
	var p problemDetails
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
	require.Equal(t, "INTERNAL", string(p.Code))
	require.NotContains(t, w.Body.String(), "secret")
	require.Contains(t, log.String(), "the secret reason")
	require.Contains(t, log.String(), "panic_internal_test.go")

	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/good", nil))
	require.Equal(t, http.StatusOK, w.Code)
}
