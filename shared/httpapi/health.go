package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"
)

// HealthCheck asks whether a part that Loadbay needs can be reached.
type HealthCheck struct {
	Name string
	Ping func(ctx context.Context) error
	// Deep is a part that sleeps until somebody asks: it is asked only when that is wanted.
	Deep bool
}

// checkTimeout is how long a part may take to respond.
const checkTimeout = 2 * time.Second

// What was found is the answer for a while, so that anybody may ask as often as they
// like: the parts are not asked more often.
const (
	upCacheTime   = 5 * time.Second
	downCacheTime = time.Second // short: whoever waits for it to come up asks often
)

// The states of a part and of the whole.
const (
	statusUp   = "UP"
	statusDown = "DOWN"
)

type healthReport struct {
	Status  string            `json:"status"`
	Version string            `json:"version"`
	Parts   map[string]string `json:"parts"`
}

// health knows whether everything that is needed can be reached: all of it, and what may
// be asked without waking it.
type health struct{ deep, shallow *healthProbe }

func newHealth(checks []HealthCheck, version string, log *slog.Logger) *health {
	awake := slices.DeleteFunc(slices.Clone(checks), func(c HealthCheck) bool { return c.Deep })
	return &health{
		deep:    &healthProbe{checks: checks, version: version, log: log},
		shallow: &healthProbe{checks: awake, version: version, log: log},
	}
}

// healthProbe are asked together.
type healthProbe struct {
	checks  []HealthCheck
	version string
	log     *slog.Logger

	mu        sync.Mutex // one request asks, the others wait for what it hears
	report    healthReport
	expiresAt time.Time
}

// serve is GET /health: 200 only when everything that is asked answers.
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

// latestReport is what was found last, or is found now.
func (h *healthProbe) latestReport(ctx context.Context) healthReport {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !time.Now().Before(h.expiresAt) {
		h.report = h.runChecks(context.WithoutCancel(ctx)) // others wait for it, also when this caller has gone
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
			h.log.WarnContext(ctx, "a part cannot be reached", "part", c.Name, "error", err)
			report.Parts[c.Name], report.Status = statusDown, statusDown
		}
	}
	return report
}
