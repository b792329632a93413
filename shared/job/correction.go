package job

import (
	"encoding/json"
	"time"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Correction is a person's replacement for the value of a field in a row of the file.
type Correction struct {
	Row   int64
	Field string
	// Value is a JSON text, which is parsed like the column's cells; a number, true or false; or
	// null, which leaves the field empty.
	Value json.RawMessage
	// Applied reports that a retry has used the correction and it has not changed since.
	Applied bool
}

// RowAttempt is the result of a retry for a run of rows of the original job.
type RowAttempt struct {
	JobID    ID
	Status   Status // status of the retry
	FirstRow int64
	Outcomes []byte // one for each line; Blank for rows that it does not retry
}

// LatestAttempt returns the last attempt at a row and its outcome. It ignores retries that
// ended before they reached the row or before they wrote its plan. The attempt is nil if
// there is none.
func LatestAttempt(attempts []RowAttempt, row int64) (*RowAttempt, rowwrite.Outcome) {
	for i := len(attempts) - 1; i >= 0; i-- {
		a := &attempts[i]
		at := row - a.FirstRow
		if at < 0 || at >= int64(len(a.Outcomes)) {
			continue
		}
		switch o := rowwrite.Outcome(a.Outcomes[at]); {
		case o == rowwrite.Blank, o.Open() && a.Status.Terminal():
		default:
			return a, o
		}
	}
	return nil, 0
}

// IsOpenError reports whether a row with that outcome in the original job still needs
// fixing: it is in error, and no attempt at it is in progress or has succeeded.
func IsOpenError(outcome rowwrite.Outcome, attempts []RowAttempt, row int64) bool {
	if outcome != rowwrite.Errored {
		return false
	}
	a, latest := LatestAttempt(attempts, row)
	return a == nil || latest == rowwrite.Errored
}

// Retry summarises an import that retries failed rows of another one.
type Retry struct {
	ID        ID        `json:"id"`
	RowRetry  bool      `json:"rerun"` // false for one with its own file, such as an error workbook
	Status    Status    `json:"status"`
	Rows      int64     `json:"rows"`
	Success   int64     `json:"success"` // written or skipped
	Errors    int64     `json:"errors"`
	CreatedAt time.Time `json:"createdAt"`
}

// RowErrorCount is the number of rows with a certain outcome and row error code, for one
// field or for the row as a whole.
type RowErrorCount struct {
	Outcome     rowwrite.Outcome
	Field, Code string
	Rows        int64
}
