package httpapi

import (
	"encoding/json"

	"github.com/loadbay/loadbay/shared/job"
)

// counters holds the counts of a whole-file type in addition to outcomes, so far or final; nil for
// counts that the type does not have.
type counters struct {
	issues        *int64
	numberChanges *int64
}

// countersOf reads the intermediate state of an import, or its result. Only results have
// summaries; number changes are an object in the intermediate state.
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
