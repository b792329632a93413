package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"
)

// HealthCheck checks whether a dependency can be reached.
type HealthCheck struct {
	Name string
	Ping func(ctx context.Context) error
	// Deep marks a dependency that may be paused and that the check would resume: it is checked
	// only on request.
	Deep bool
}

// checkTimeout is the time in which a dependency must respond.
const checkTimeout = 2 * time.Second

// Results are cached for these durations, so that frequent requests do not cause frequent
// checks.
const (
	upCacheTime   = 5 * time.Second
	downCacheTime = time.Second // short, because callers that wait for recovery poll often
)

// The states of a dependency and of the service.
const (
	statusUp   = "UP"
	statusDown = "DOWN"
)

type healthReport struct {
	Status  string            `json:"status"`
	Version string            `json:"version"`
	Parts   map[string]string `json:"parts"`
}

// health checks all dependencies, or only those that are not deep.
type health struct{ deep, shallow *healthProbe }

func newHealth(checks []HealthCheck, version string, log *slog.Logger) *health {
	awake := slices.DeleteFunc(slices.Clone(checks), func(c HealthCheck) bool { return c.Deep })
	return &health{
		deep:    &healthProbe{checks: checks, version: version, log: log},
		shallow: &healthProbe{checks: awake, version: version, log: log},
	}
}

// healthProbe runs a set of checks together.
type healthProbe struct {
	checks  []HealthCheck
	version string
	log     *slog.Logger

	mu        sync.Mutex // one request runs the checks, the others wait for its result
	report    healthReport
	expiresAt time.Time
}

// serve is GET /health: 200 only if all checked dependencies respond.
func (h *health) serve(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	deep := v.flag("deep")
	if err := v.err(); err != nil {
		return err
	}
	asked := h.shallow
	if deep {
		asked = h.deep
	}
	report, status := asked.latestReport(r.Context()), http.StatusOK
	if report.Status != statusUp {
		status = http.StatusServiceUnavailable
	}
	return writeJSON(w, status, report)
}

// latestReport returns the cached report, or runs the checks.
func (h *healthProbe) latestReport(ctx context.Context) healthReport {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !time.Now().Before(h.expiresAt) {
		h.report = h.runChecks(context.WithoutCancel(ctx)) // other requests wait for the result, even if this caller has disconnected
		valid := upCacheTime
		if h.report.Status != statusUp {
			valid = downCacheTime
		}
		h.expiresAt = time.Now().Add(valid)
	}
	return h.report
}

func (h *healthProbe) runChecks(ctx context.Context) healthReport {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	answers := make([]error, len(h.checks))
	var asking sync.WaitGroup
	for i, c := range h.checks {
		asking.Go(func() { answers[i] = c.Ping(ctx) })
	}
	asking.Wait()
	report := healthReport{Status: statusUp, Version: h.version, Parts: make(map[string]string)}
	for i, c := range h.checks {
		report.Parts[c.Name] = statusUp
		if err := answers[i]; err != nil {
			h.log.WarnContext(ctx, "health check failed", "part", c.Name, "error", err)
			report.Parts[c.Name], report.Status = statusDown, statusDown
		}
	}
	return report
}
