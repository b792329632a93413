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
	CellsSkipped bool // "start": values that nobody mapped make ERROR rows
	// Passing says that the job does not come to rest: whether a person is asked is
	// found out next. No event is published.
	Provisional bool
	// Idle makes the move only if nothing has happened to the job for so long, by
	// the database's clock; 0 makes it in any case.
	IdleFor time.Duration
}

// Analysis is what is found out about a job's file.
type Analysis struct {
	ETag           string          // of the version that was looked at
	Dialect        json.RawMessage // sheet.Dialect
	Warnings       []string
	Total          int64 // rows, estimated until the file is cut
	MachineVersion int   // of the execution: see Ref
}

// SplitTotals is what is known when the whole file is cut.
type SplitTotals struct {
	Chunks                     int
	Lines, Rows, Blank, Header int64
	SHA256                     string // of the file, hex
}
