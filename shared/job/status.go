package job

import (
	"fmt"
	"maps"
	"slices"
)

// Status is the status of a job. The names are those of the API.
type Status string

// The statuses of a job.
const (
	Uploaded      Status = "UPLOADED"       // accepted; waits for its file, or for the first or a further analysis
	ColumnMapping Status = "COLUMN_MAPPING" // waits for decisions about columns
	CellMapping   Status = "CELL_MAPPING"   // values are looked up, or wait for decisions
	Processing    Status = "PROCESSING"     // rows are being planned or written
	// AwaitingApproval is a plan that waits for approval.
	AwaitingApproval Status = "AWAITING_APPROVAL"
	Completed        Status = "COMPLETED"
	Failed           Status = "FAILED"
	Cancelled        Status = "CANCELLED"
)

// transitions is the whole life cycle: the possible next statuses of each status.
var transitions = map[Status][]Status{
	Uploaded:         {ColumnMapping, Processing, Failed, Cancelled},
	ColumnMapping:    {Uploaded, CellMapping, Processing, Failed, Cancelled},
	CellMapping:      {Uploaded, Processing, Failed, Cancelled},
	Processing:       {CellMapping, AwaitingApproval, Completed, Failed, Cancelled},
	AwaitingApproval: {Processing, Failed, Cancelled},
	Completed:        {},
	Failed:           {},
	Cancelled:        {},
}

// Statuses returns all statuses in a fixed order.
func Statuses() []Status { return slices.Sorted(maps.Keys(transitions)) }

// CanBecome reports whether a job may change from s to next.
func (s Status) CanBecome(next Status) bool { return slices.Contains(transitions[s], next) }

// StatusesBefore returns the statuses from which a job may change to next, in a fixed order.
func StatusesBefore(next Status) []Status {
	var from []Status
	for s, following := range transitions {
		if slices.Contains(following, next) {
			from = append(from, s)
		}
	}
	slices.Sort(from)
	return from
}

// Terminal reports whether the job has ended; a terminal status never changes.
func (s Status) Terminal() bool { return s.Valid() && len(transitions[s]) == 0 }

// Clause describes the status for people, to follow "it", with the code in brackets: "it has
// failed (FAILED)".
func (s Status) Clause() string { return fmt.Sprintf("%s (%s)", s.phrase(), string(s)) }

func (s Status) phrase() string {
	switch s {
	case Uploaded:
		return "has not been read yet"
	case ColumnMapping:
		return "waits for column matches"
	case CellMapping:
		return "waits for value matches"
	case Processing:
		return "is being written"
	case AwaitingApproval:
		return "waits for approval"
	case Completed:
		return "is complete"
	case Failed:
		return "has failed"
	case Cancelled:
		return "was cancelled"
	}
	return "is in another state"
}

// Valid reports whether s is one of the statuses.
func (s Status) Valid() bool {
	_, ok := transitions[s]
	return ok
}
