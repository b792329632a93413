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
	// Paused is set for a dependency that pauses without use and that the check would resume: it is
	// checked only on request, and seldom.
	Paused *PausedCheck
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
	// CheckedAt is the time of the oldest check of a part that is up.
	CheckedAt time.Time `json:"checkedAt"`
}

// health checks all dependencies, or only those that do not pause.
type health struct{ deep, shallow *healthProbe }

func newHealth(checks []HealthCheck, version string, log *slog.Logger) *health {
	awake := slices.DeleteFunc(slices.Clone(checks), func(c HealthCheck) bool { return c.Paused != nil })
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
	if !wallClock().Before(h.expiresAt) {
		h.report = h.runChecks(context.WithoutCancel(ctx)) // other requests wait for the result, even if this caller has disconnected
		valid := upCacheTime
		if h.report.Status != statusUp {
			valid = downCacheTime
		}
		h.expiresAt = wallClock().Add(valid)
	}
	return h.report
}

// wallClock returns the time without the monotonic clock, which stops while Lambda freezes the
// instance.
func wallClock() time.Time { return time.Now().UTC().Round(0) }

func (h *healthProbe) runChecks(ctx context.Context) healthReport {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	type answer struct {
		at  time.Time
		err error
	}
	answers := make([]answer, len(h.checks))
	var asking sync.WaitGroup
	for i, c := range h.checks {
		asking.Go(func() { answers[i].at, answers[i].err = h.check(ctx, c) })
	}
	asking.Wait()
	report := healthReport{Status: statusUp, Version: h.version, Parts: make(map[string]string), CheckedAt: wallClock()}
	for i, c := range h.checks {
		report.Parts[c.Name] = statusUp
		if a := answers[i]; a.err != nil {
			h.log.WarnContext(ctx, "health check failed", "part", c.Name, "error", a.err)
			report.Parts[c.Name], report.Status = statusDown, statusDown
		} else if a.at.Before(report.CheckedAt) {
			report.CheckedAt = a.at
		}
	}
	return report
}

// check returns when the dependency was last checked, or why it cannot be reached.
func (h *healthProbe) check(ctx context.Context, c HealthCheck) (time.Time, error) {
	if c.Paused != nil {
		return c.Paused.check(ctx, c, h.log)
	}
	return wallClock(), c.Ping(ctx)
}
