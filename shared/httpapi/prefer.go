package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/job"
)

// longestWait is the longest that a response is held back: the gateway gives up after 29 s.
const longestWait = 20 * time.Second

// How often a job is looked at while a response is held back.
const (
	firstLook = 100 * time.Millisecond // half as long again each time
	lastLook  = time.Second
)

// preferredWait is how long a caller would rather wait than ask again: "Prefer: wait=10", as in
// RFC 7240. 0 where nothing is preferred, or nothing that can be read.
func preferredWait(r *http.Request) time.Duration {
	for _, header := range r.Header.Values("Prefer") {
		for preference := range strings.SplitSeq(header, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			if seconds, err := strconv.Atoi(strings.Trim(value, ` "`)); err == nil && seconds > 0 {
				return min(time.Duration(seconds)*time.Second, longestWait)
			}
		}
	}
	return 0
}

// rested returns the job as soon as it is at rest, or as it stands when the time is over
// that the caller would rather wait.
func (a *api) rested(w http.ResponseWriter, r *http.Request, j *job.Job, atRest func(*job.Job) bool) (*job.Job, error) {
	wait := preferredWait(r)
	if wait == 0 {
		return j, nil
	}
	w.Header().Set("Preference-Applied", "wait")
	over := time.NewTimer(wait)
	defer over.Stop()
	for pause := firstLook; !atRest(j); pause = min(pause+pause/2, lastLook) {
		select {
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-over.C:
			return j, nil
		case <-time.After(pause):
		}
		var err error
		if j, err = a.DB.JobStatus(r.Context(), j.OrganisationID, j.ID); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// asksOrEnds reports whether the job waits for a person, or has ended.
func asksOrEnds(j *job.Job) bool { return j.Waits() != "" || j.Status.Terminal() }

// valuesKnown reports whether it is known what the values of a job's file stand for.
func valuesKnown(j *job.Job) bool { return asksOrEnds(j) || j.Status == job.Processing }
