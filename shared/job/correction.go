package job

import (
	"encoding/json"
	"time"
)

// Correction is what a person says a field of a row is to be read as, instead of what
// the file has.
type Correction struct {
	Row   int64
	Field string
	// Value is a JSON text, which is read as the column's cells are; a number, or true or
	// false; or null, which leaves the field empty.
	Value json.RawMessage
	// Taken says that a rerun has run with it and nothing new has been said since.
	Applied bool
}

// RowAttempt is what a rerun has made of a run of rows of the job that it is of.
type RowAttempt struct {
	JobID    ID
	Status   Status // of that rerun
	FirstRow int64
	Outcomes []byte // a line each; Blank for those that it does not bring
}

// LatestAttempt is the outcome of a row in the last attempt at it, with that attempt: those of a
// rerun that has ended without coming to the row, or without writing what was planned for
// it, are none. nil without any.
func LatestAttempt(attempts []RowAttempt, row int64) (*RowAttempt, Outcome) {
	for i := len(attempts) - 1; i >= 0; i-- {
		a := &attempts[i]
		at := row - a.FirstRow
		if at < 0 || at >= int64(len(a.Outcomes)) {
			continue
		}
		switch o := Outcome(a.Outcomes[at]); {
		case o == Blank, o.Open() && a.Status.Terminal():
		default:
			return a, o
		}
	}
	return nil, 0
}

// IsOpenError reports whether a row of a job that had an outcome there is still to be put
// right: it is in error, and no attempt at it is on its way or has succeeded.
func IsOpenError(outcome Outcome, attempts []RowAttempt, row int64) bool {
	if outcome != Errored {
		return false
	}
	a, latest := LatestAttempt(attempts, row)
	return a == nil || latest == Errored
}

// Retry is an import that brings failed rows of another again, in short.
type Retry struct {
	ID        ID        `json:"id"`
	RowRetry  bool      `json:"rerun"` // false for one with a file of its own, as an error workbook
	Status    Status    `json:"status"`
	Rows      int64     `json:"rows"`
	Success   int64     `json:"success"` // written or skipped
	Errors    int64     `json:"errors"`
	CreatedAt time.Time `json:"createdAt"`
}

// RowErrorCount is how many rows of an outcome have a row error of a code about a field, or
// about the row as a whole.
type RowErrorCount struct {
	Outcome     Outcome
	Field, Code string
	Rows        int64
}
