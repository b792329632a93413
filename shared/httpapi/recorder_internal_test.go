package httpapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Responses that exceed the limit of Lambda, as text and as a file, and panics during the response
// become a problem response.
func TestOversizedResponseIsProblem(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := &api{Dependencies: Dependencies{Log: slog.New(slog.NewJSONHandler(&log, nil))}}
	h := a.serve([]route{
		{"GET", "/text", "", func(w http.ResponseWriter, _ *http.Request) error {
			return writeJSON(w, http.StatusOK, strings.Repeat(`"`, 2<<20))
		}},
		{"GET", "/file", "", func(w http.ResponseWriter, _ *http.Request) error {
			writeWorkbook(w, "large.xlsx", make([]byte, 5<<20))
			return nil
		}},
		{"GET", "/half", "", func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Content-Disposition", "attachment")
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write([]byte("half"))
			panic("half-way")
		}},
		{"GET", "/fits", "", func(w http.ResponseWriter, _ *http.Request) error {
			return writeJSON(w, http.StatusCreated, strings.Repeat("x", 4<<20))
		}},
	}, maxInlineBytes)
	for path, code := range map[string]string{"/text": "RESPONSE_TOO_LARGE", "/file": "RESPONSE_TOO_LARGE", "/half": "INTERNAL"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		require.Equal(t, http.StatusInternalServerError, w.Code, path)
		require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
		require.Empty(t, w.Header().Get("Content-Disposition"))
		require.NotEmpty(t, w.Header().Get(requestIDHeader))
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), path)
		require.Equal(t, "no-store", w.Header().Get("Cache-Control"), path)
		var p problemDetails
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p), path)
		require.Equal(t, code, string(p.Code))
	}
	require.Contains(t, log.String(), "response too large")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/fits", nil))
	require.Equal(t, http.StatusCreated, w.Code)
	require.Greater(t, w.Body.Len(), 4<<20)
}
