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

// longestWait bounds how long a response is held back for the end of an import: API
// Gateway gives up after 30 seconds.
const longestWait = 20 * time.Second

// preferredWait is how long the caller wants to wait for the end of what it begins
// (RFC 7240, `Prefer: wait=10`), in whole seconds; 0 for not at all.
func preferredWait(r *http.Request) time.Duration {
	for _, header := range r.Header.Values("Prefer") {
		for preference := range strings.SplitSeq(header, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
			if !strings.EqualFold(name, "wait") {
				continue
			}
			seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 16)
			if err != nil {
				return 0 // what cannot be honoured is passed over, as the RFC has it
			}
			return min(time.Duration(seconds)*time.Second, longestWait)
		}
	}
	return 0
}

// The pauses between two looks at a job that a response waits for.
const (
	firstLook  = 25 * time.Millisecond
	seldomLook = 500 * time.Millisecond
)

// awaited returns a job whose file has been sent as it is once it has ended or asks
// somebody, or when the caller wants to wait no longer.
func (a *api) awaited(w http.ResponseWriter, r *http.Request, j *job.Job) (*job.Job, error) {
	wait := preferredWait(r)
	if wait == 0 {
		return j, nil
	}
	w.Header().Set("Preference-Applied", fmt.Sprintf("wait=%d", int(wait.Seconds())))
	ctx, done := context.WithTimeout(r.Context(), wait)
	defer done()
	for pause := firstLook; !j.Status.Terminal() && (j.Waits() == "" || j.Waits() == job.ForFile); pause = min(pause*3/2, seldomLook) {
		select {
		case <-ctx.Done():
			return j, nil
		case <-time.After(pause):
		}
		now, err := a.DB.JobStatus(r.Context(), organisationOf(r), j.ID)
		if err != nil {
			return nil, err
		}
		j = now
	}
	return j, nil
}
