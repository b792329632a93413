package job

import "time"

// Retention defines how long jobs are retained. Jobs that are PROCESSING are always retained.
type Retention struct {
	// Ended is the retention of jobs after their end; EndedByType overrides it for some import
	// types.
	Ended       time.Duration
	EndedByType map[string]time.Duration
	// Waiting is the retention of waiting jobs after their last activity.
	Waiting time.Duration
	// Announced is the maximum time for a file to arrive.
	Announced time.Duration
}

// WaitingStatuses returns the statuses in which a job waits for its file or for a
// person.
func WaitingStatuses() []Status {
	return []Status{Uploaded, ColumnMapping, CellMapping, AwaitingApproval}
}

// TerminalStatuses returns the terminal statuses.
func TerminalStatuses() []Status { return []Status{Completed, Failed, Cancelled} }
