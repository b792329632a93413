package httpapi

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Check asks whether a part that Loadbay needs can be reached.
type Check struct {
	Name string
	Ask  func(ctx context.Context) error
}

// checkTimeout is how long a part may take to respond.
const checkTimeout = 2 * time.Second

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

// health is GET /health: 200 only when everything that is needed answers.
func (a *api) health(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	answers := make([]error, len(a.Health))
	var asking sync.WaitGroup
	for i, c := range a.Health {
		asking.Go(func() { answers[i] = c.Ask(ctx) })
	}
	asking.Wait()
	report, status := healthReport{Status: statusUp, Version: a.Version, Parts: make(map[string]string)}, http.StatusOK
	for i, c := range a.Health {
		report.Parts[c.Name] = statusUp
		if err := answers[i]; err != nil {
			a.Log.WarnContext(ctx, "a part cannot be reached", "part", c.Name, "error", err)
			report.Parts[c.Name], report.Status, status = statusDown, statusDown, http.StatusServiceUnavailable
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	return writeJSON(w, status, report)
}
