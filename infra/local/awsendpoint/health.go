package awsendpoint

import (
	"context"
	"encoding/json"
	"net/http"
)

// health is the body of HealthPath's response.
type health struct {
	Status   string   `json:"status"` // "ok" or "starting"
	Services []string `json:"services"`
	Lambda   bool     `json:"lambda"`
	S3       bool     `json:"s3"`
}

// readinessChecker is a part that can be temporarily down, such as S3 while its process restarts.
type readinessChecker interface {
	Ready(context.Context) bool
}

func (e *endpoint) health(w http.ResponseWriter, r *http.Request) {
	h := health{Status: "ok", Services: e.targets, Lambda: e.config.Lambda != nil, S3: e.config.Objects != nil}
	status := http.StatusOK
	if objects, ok := e.config.Objects.(readinessChecker); ok && !objects.Ready(r.Context()) {
		h.Status, h.S3, status = "starting", false, http.StatusServiceUnavailable
	}
	body, err := json.Marshal(h)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may have disconnected
}
