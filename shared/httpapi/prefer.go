package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/job"
)

// maxPreferWait is how long a response may wait for an import: well within the time that a
// request has on AWS.
const maxPreferWait = 15 * time.Second

// preferredWait is how long the caller would rather wait than ask again: Prefer: wait=10
// (RFC 7240), in seconds. What is no such preference is ignored, as preferences are.
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

// Pauses between two looks at an import that is waited for: short ones for the small
// files that this is for.
const (
	minPollInterval = 50 * time.Millisecond // doubled each time
	maxPollInterval = 800 * time.Millisecond
)

// waitFor returns the import as soon as it has ended or waits for somebody, or as it is
// when the caller waits no longer, and says in the response that it has waited.
func (a *api) waitFor(w http.ResponseWriter, r *http.Request, j *job.Job) (*job.Job, error) {
	wait := preferredWait(r)
	if wait == 0 || j.UploadedAt == nil {
		return j, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	for pause := minPollInterval; !j.Status.Terminal() && j.WaitingFor() == ""; pause = min(2*pause, maxPollInterval) {
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

func setPreferenceApplied(w http.ResponseWriter, wait time.Duration) error {
	w.Header().Set("Preference-Applied", fmt.Sprintf("wait=%d", int(wait.Seconds())))
	return nil
}
