package stack

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFullDiskRefusesChanges(t *testing.T) {
	t.Parallel()
	used := 94.9
	s := &Stack{config: Config{DataDir: "/data", Logger: slog.New(slog.DiscardHandler)}, usedSpace: func(dir string) (float64, error) {
		require.Equal(t, "/data", dir)
		return used, nil
	}}
	handler := s.refuseIfFull(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	send := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
		return w
	}
	require.Equal(t, http.StatusNoContent, send("POST", "/api/imports").Code)
	used = 95
	for _, method := range []string{"POST", "PUT", "PATCH"} {
		w := send(method, "/api/imports")
		require.Equal(t, http.StatusInsufficientStorage, w.Code, method)
		require.JSONEq(t, `{"message":"The disk of this server is 95 % full. Nothing was changed; try again once less than 95 % is used."}`, w.Body.String())
	}
	require.Equal(t, http.StatusNoContent, send("GET", "/api/imports").Code)
	require.Equal(t, http.StatusNoContent, send("DELETE", "/api/imports/1").Code)
	require.Equal(t, http.StatusNoContent, send("POST", "/api/exports/1/cancel").Code)
}

func TestUsedSpaceIsMeasured(t *testing.T) {
	t.Parallel()
	used, err := usedSpace(t.TempDir())
	require.NoError(t, err)
	require.Greater(t, used, 0.0)
	require.LessOrEqual(t, used, 100.0)
	_, err = usedSpace("/does/not/exist")
	require.Error(t, err)
}
