package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/quota"
)

// maxPreferWait is the maximum time that a response waits for an import: well within the request
// timeout on AWS.
const maxPreferWait = 15 * time.Second

// preferredWait returns how long the caller prefers to wait for a response: Prefer: wait=10
// (RFC 7240), in seconds. Unknown and invalid preferences are ignored, as the RFC requires.
func preferredWait(r *http.Request) time.Duration {
	for _, header := range r.Header.Values("Prefer") {
		for preference := range strings.SplitSeq(header, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
			if seconds, err := strconv.ParseUint(strings.Trim(value, `" `), 10, 31); err == nil && strings.EqualFold(strings.TrimSpace(name), "wait") {
				return min(time.Duration(seconds)*time.Second, maxPreferWait)
			}
		}
	}
	return 0
}

// Polling intervals for an import that a request waits for; short, because the feature is
// intended for small files.
const (
	minPollInterval = 50 * time.Millisecond // doubled after each poll
	maxPollInterval = 800 * time.Millisecond
)

// waitFor returns the import as soon as it has ended or waits for a decision, or in its current
// state when the wait is over. It reports the wait in the response. While enough requests of the
// organisation wait, others are answered at once: a waiting request occupies an instance.
func (a *api) waitFor(w http.ResponseWriter, r *http.Request, j *job.Job) (*job.Job, error) {
	wait := preferredWait(r)
	if wait == 0 || j.UploadedAt == nil {
		return j, nil
	}
	if isSettled(j) {
		return j, setPreferenceApplied(w, wait)
	}
	slot, err := a.DB.AcquireSlot(r.Context(), j.OrganisationID, quota.WaitSlot)
	if err != nil || slot == uuid.Nil {
		return j, err
	}
	defer a.releaseSlot(r.Context(), j.OrganisationID, slot)
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	for pause := minPollInterval; !isSettled(j); pause = min(2*pause, maxPollInterval) {
		select {
		case <-ctx.Done():
			return j, setPreferenceApplied(w, wait)
		case <-time.After(pause):
		}
		now, err := a.DB.JobStatus(r.Context(), j.OrganisationID, j.ID)
		if err != nil {
			return nil, err
		}
		j = now
	}
	return j, setPreferenceApplied(w, wait)
}

// isSettled reports whether an import has ended or waits for a decision.
func isSettled(j *job.Job) bool { return j.Status.Terminal() || j.WaitingFor() != "" }

func setPreferenceApplied(w http.ResponseWriter, wait time.Duration) error {
	w.Header().Set("Preference-Applied", fmt.Sprintf("wait=%d", int(wait.Seconds())))
	return nil
}
