package job

import (
	"encoding/json"
	"time"
)

// Transition is a change of status with what is to be kept with it.
type Transition struct {
	To           Status
	ExpectedFrom Status // only from this one; "" from all that the life cycle allows
	Failure      *Failure
	SkipCells    bool // "start": values that nobody mapped make ERROR rows
	// Passing says that the job does not come to rest: whether a person is asked is
	// found out next. No event is published.
	Passing bool
	// Idle makes the move only if nothing has happened to the job for so long, by
	// the database's clock; 0 makes it in any case.
	Idle time.Duration
}

// Analysis is what is found out about a job's file.
type Analysis struct {
	ETag     string          // of the version that was looked at
	Dialect  json.RawMessage // sheet.Dialect
	Warnings []string
	Total    int64 // rows, estimated until the file is cut
	Machine  int   // of the execution: see Ref
}

// CutTotals is what is known when the whole file is cut.
type CutTotals struct {
	Chunks                     int
	Lines, Rows, Blank, Header int64
	SHA256                     string // of the file, hex
}
