package job

import (
	"encoding/json"
	"time"
)

// Transition is a change of status, with the values to save along with it.
type Transition struct {
	To           Status
	ExpectedFrom Status // required current status; "" for all that the life cycle allows
	Failure      *Failure
	CellsSkipped bool // "start": rows with unresolved values become ERROR
	// Provisional means that the status may change again at once, because it is not known yet
	// whether a person is asked. No event is published.
	Provisional bool
	// IdleFor makes the transition conditional: the job must have been idle for this long, by
	// the database clock; 0 is no condition.
	IdleFor time.Duration
}

// Analysis is the result of analysing a job's file.
type Analysis struct {
	ETag           string          // of the analysed version
	Dialect        json.RawMessage // sheet.Dialect
	Warnings       []string
	Total          int64 // rows, estimated until the file is split
	MachineVersion int   // of the execution: see Ref
}

// SplitTotals are the totals known once the whole file is split.
type SplitTotals struct {
	Chunks                     int
	Lines, Rows, Blank, Header int64
	SHA256                     string // of the file, hex
}
