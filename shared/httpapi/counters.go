package httpapi

import (
	"encoding/json"

	"github.com/loadbay/loadbay/shared/job"
)

// counters are what the type of a whole file counts beside outcomes, so far or at the
// end; nil for what it does not.
type counters struct {
	issues        *int64
	numberChanges *int64
}

// countersOf reads what an import has left behind so far, or its result: summaries are
// of results, and number changes an object while they are collected.
func countersOf(j *job.Job) (c counters) {
	if !j.WholeFile || len(j.ResultJSON) == 0 {
		return c
	}
	var left struct {
		Summary struct {
			IssueCount        *int64 `json:"issueCount"`
			NumberChangeCount *int64 `json:"numberChangeCount"`
		} `json:"summary"`
		NumberChanges json.RawMessage `json:"numberChanges"`
	}
	if json.Unmarshal(j.ResultJSON, &left) != nil {
		return c
	}
	c = counters{left.Summary.IssueCount, left.Summary.NumberChangeCount}
	var sofar struct {
		Count *int64 `json:"count"`
	}
	if c.numberChanges == nil && json.Unmarshal(left.NumberChanges, &sofar) == nil {
		c.numberChanges = sofar.Count
	}
	return c
}
