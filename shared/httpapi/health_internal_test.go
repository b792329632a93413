package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Many health requests do not cause many database queries.
func TestHealthIsCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked int
		var broken error
		h := newHealth([]HealthCheck{{Name: "bucket", Ping: func(context.Context) error {
			asked++
			return broken
		}}}, "", slog.New(slog.DiscardHandler))
		status := func() int {
			w := httptest.NewRecorder()
			require.NoError(t, h.serve(w, httptest.NewRequest(http.MethodGet, "/health", nil)))
			return w.Code
		}
		var flood sync.WaitGroup
		for range 1000 {
			flood.Go(func() {
				if status() != http.StatusOK {
					t.Error("the status is not 200")
				}
			})
		}
		flood.Wait()
		require.Equal(t, 1, asked)

		broken = errors.New("away")
		<-time.After(upCacheTime - time.Millisecond)
		require.Equal(t, http.StatusOK, status(), "the cached status is returned for some seconds")
		<-time.After(2 * time.Millisecond)
		require.Equal(t, http.StatusServiceUnavailable, status())
		require.Equal(t, http.StatusServiceUnavailable, status())
		require.Equal(t, 2, asked)

		broken = nil
		<-time.After(downCacheTime + time.Millisecond)
		require.Equal(t, http.StatusOK, status())
		require.Equal(t, 3, asked)
	})
}

// A caller that disconnects does not make the service appear unavailable to others.
func TestHealthSurvivesCallerCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := healthProbe{log: slog.New(slog.DiscardHandler), checks: []HealthCheck{{Name: "database", Ping: func(ctx context.Context) error { return ctx.Err() }}}}
	require.Equal(t, statusUp, h.latestReport(ctx).Status)
}

// A monitor that polls every minute does not keep the database awake.
func TestShallowHealthSkipsDatabase(t *testing.T) {
	t.Parallel()
	var asked int
	h := newHealth([]HealthCheck{
		{Name: "database", Deep: true, Ping: func(context.Context) error { asked++; return errors.New("asleep") }},
		{Name: "bucket", Ping: func(context.Context) error { return nil }},
	}, "v1", slog.New(slog.DiscardHandler))
	answer := func(query string) (int, string) {
		w := httptest.NewRecorder()
		require.NoError(t, h.serve(w, httptest.NewRequest(http.MethodGet, "/health"+query, nil)))
		return w.Code, w.Body.String()
	}
	for _, query := range []string{"", "?deep=false", "?t=1"} {
		status, body := answer(query)
		require.Equal(t, http.StatusOK, status, query)
		require.JSONEq(t, `{"status":"UP","version":"v1","parts":{"bucket":"UP"}}`, body)
	}
	require.Zero(t, asked)
	status, body := answer("?deep=true")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.JSONEq(t, `{"status":"DOWN","version":"v1","parts":{"bucket":"UP","database":"DOWN"}}`, body)
	require.Equal(t, 1, asked)
	require.Error(t, h.serve(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/health?deep=perhaps", nil)))
}
