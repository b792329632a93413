package job

import "time"

// Retention says how long jobs are kept. One that is PROCESSING is kept for as
// long as it takes.
type Retention struct {
	// Ended jobs are kept for so long after they ended; EndedByType has the import
	// types for which it is another time.
	Ended       time.Duration
	EndedByType map[string]time.Duration
	// Waiting jobs are kept for so long after something happened to them last.
	Waiting time.Duration
	// Announced is how long a file may take to arrive.
	Announced time.Duration
}

// WaitingStatuses returns the statuses in which a job waits for its file or for a
// person.
func WaitingStatuses() []Status {
	return []Status{Uploaded, ColumnMapping, CellMapping, AwaitingApproval}
}

// TerminalStatuses returns the terminal statuses.
func TerminalStatuses() []Status { return []Status{Completed, Failed, Cancelled} }
