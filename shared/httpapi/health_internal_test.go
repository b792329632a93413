package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
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

// checkedAt is the member that differs in each report.
var checkedAt = regexp.MustCompile(`,"checkedAt":"[^"]+Z"`)

// HealthRecord is a HealthMemory of the instances of a test.
type HealthRecord struct{ at sync.Map }

func (r *HealthRecord) LastHealthy(_ context.Context, part string) (time.Time, error) {
	at, _ := r.at.Load(part)
	t, _ := at.(time.Time)
	return t, nil
}

func (r *HealthRecord) SaveHealthy(_ context.Context, part string, at time.Time) error {
	r.at.Store(part, at)
	return nil
}

func (r *HealthRecord) ForgetHealthy(_ context.Context, part string) error {
	r.at.Delete(part)
	return nil
}

// Callers without a token cannot keep a database awake that nothing else uses, through however
// many instances.
func TestDeepHealthLetsDatabasePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pings int
		var broken error
		var used time.Time
		memory := &HealthRecord{}
		var instances []*health
		for range 3 {
			instances = append(instances, newHealth([]HealthCheck{{
				Name: "database", Ping: func(context.Context) error { pings++; return broken },
				Paused: &PausedCheck{LastUsed: func() time.Time { return used }, Memory: memory},
			}}, "", slog.New(slog.DiscardHandler)))
		}
		// poll calls each instance every second, and returns the last status and time of a check.
		poll := func(period time.Duration) (code int, report healthReport) {
			for end := time.Now().Add(period); time.Now().Before(end); <-time.After(time.Second) {
				for _, h := range instances {
					w := httptest.NewRecorder()
					require.NoError(t, h.serve(w, httptest.NewRequest(http.MethodGet, "/health?deep=true", nil)))
					code, report = w.Code, healthReport{}
					require.NoError(t, json.Unmarshal(w.Body.Bytes(), &report))
				}
			}
			return code, report
		}
		began := time.Now()
		code, report := poll(14 * time.Minute)
		require.Equal(t, http.StatusOK, code)
		require.Equal(t, 1, pings, "an unused database is checked once")
		require.True(t, began.Equal(report.CheckedAt), "the report says how old the check is")
		poll(14 * time.Minute)
		require.Equal(t, 2, pings)

		used, broken = time.Now(), errors.New("away")
		code, _ = poll(2 * time.Minute)
		require.Equal(t, http.StatusServiceUnavailable, code, "while the database is used, its failure is seen at once, and not forgotten later")
		broken, pings = nil, 0
		code, _ = poll(2 * time.Second)
		require.Equal(t, http.StatusOK, code)
		require.LessOrEqual(t, pings, len(instances))
	})
}

// A monitor that polls every minute does not keep the database awake.
func TestShallowHealthSkipsDatabase(t *testing.T) {
	t.Parallel()
	var asked int
	h := newHealth([]HealthCheck{
		{Name: "database", Paused: &PausedCheck{LastUsed: func() time.Time { return time.Time{} }, Memory: &HealthRecord{}}, Ping: func(context.Context) error { asked++; return errors.New("asleep") }},
		{Name: "bucket", Ping: func(context.Context) error { return nil }},
	}, "v1", slog.New(slog.DiscardHandler))
	answer := func(query string) (int, string) {
		w := httptest.NewRecorder()
		require.NoError(t, h.serve(w, httptest.NewRequest(http.MethodGet, "/health"+query, nil)))
		return w.Code, checkedAt.ReplaceAllString(strings.TrimSpace(w.Body.String()), "")
	}
	for _, query := range []string{"", "?deep=false", "?t=1"} {
		status, body := answer(query)
		require.Equal(t, http.StatusOK, status, query)
		require.Equal(t, `{"status":"UP","version":"v1","parts":{"bucket":"UP"}}`, body)
	}
	require.Zero(t, asked)
	status, body := answer("?deep=true")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, `{"status":"DOWN","version":"v1","parts":{"bucket":"UP","database":"DOWN"}}`, body)
	require.Equal(t, 1, asked)
	require.Error(t, h.serve(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/health?deep=perhaps", nil)))
}
