package job

import (
	"fmt"
	"maps"
	"slices"
)

// Status is where a job stands. The names are those of the API.
type Status string

// The statuses of a job.
const (
	Uploaded      Status = "UPLOADED"       // accepted; its file is still to come, or is to be read, for the first time or again
	ColumnMapping Status = "COLUMN_MAPPING" // a person must say what some columns are
	CellMapping   Status = "CELL_MAPPING"   // a person must say what some values stand for
	Processing    Status = "PROCESSING"     // rows are being written, or rehearsed
	// AwaitingApproval is a plan: somebody must say that it is to be applied.
	AwaitingApproval Status = "AWAITING_APPROVAL"
	Completed        Status = "COMPLETED"
	Failed           Status = "FAILED"
	Cancelled        Status = "CANCELLED"
)

// transitions is the whole life cycle: from each status, those that may follow.
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

// Statuses returns all of them, in a fixed order.
func Statuses() []Status { return slices.Sorted(maps.Keys(transitions)) }

// CanBecome reports whether a job may go from s to next.
func (s Status) CanBecome(next Status) bool { return slices.Contains(transitions[s], next) }

// StatusesBefore returns the statuses from which a job may reach next, in a fixed order.
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

// Terminal reports whether the job has ended; nothing follows a terminal status.
func (s Status) Terminal() bool { return s.Valid() && len(transitions[s]) == 0 }

// Clause says to people where a job stands, after "it", with the code in brackets:
// "it has failed (FAILED)".
func (s Status) Clause() string { return fmt.Sprintf("%s (%s)", s.phrase(), string(s)) }

func (s Status) phrase() string {
	switch s {
	case Uploaded:
		return "has not been read yet"
	case ColumnMapping:
		return "waits for decisions about its columns"
	case CellMapping:
		return "waits for decisions about its values"
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
