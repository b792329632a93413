package job

import (
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Event reports that a job has ended or waits for a person. It contains ids, figures and times, and of
// the file only the names of unused columns. It is the detail of the event on the bus, and the data of
// the webhook's message.
type Event struct {
	EventID        EventID   `json:"eventId"`
	Sequence       int       `json:"sequence"` // within the job, from 1: events can arrive in any order
	JobID          ID        `json:"jobId"`
	OrganisationID tenant.ID `json:"organisationId"`
	ImportType     string    `json:"importType"`
	Status         Status    `json:"status"`
	DryRun         bool      `json:"dryRun"`
	UndoOf         ID        `json:"undoOf,omitempty"` // job that this one undoes; its rows are the changes of that job
	// FailureCode is the reason why a job ended as FAILED or CANCELLED; a caller who
	// cancels gives no reason.
	FailureCode string      `json:"failureCode,omitempty"`
	Counts      EventCounts `json:"counts"`
	// Warnings are the numbers of warnings by code if the job has ended. Of their details, which may
	// contain text of the file, only UnusedColumns are in the event: their values were not imported.
	Warnings      map[string]int `json:"warnings,omitempty"`
	UnusedColumns []UnusedColumn `json:"unusedColumns,omitempty"`
	OccurredAt    time.Time      `json:"occurredAt"`
	CreatedAt     time.Time      `json:"createdAt"`
	StartedAt     *time.Time     `json:"startedAt,omitempty"`   // when the first row was processed
	CompletedAt   *time.Time     `json:"completedAt,omitempty"` // set if the job has ended
}

// SetWarnings sets Warnings and UnusedColumns from the warnings of an import.
func (e *Event) SetWarnings(warnings []string) {
	if len(warnings) == 0 {
		return
	}
	e.Warnings = make(map[string]int)
	for _, w := range warnings {
		code, _, _ := strings.Cut(w, ":")
		e.Warnings[code]++
	}
	e.UnusedColumns = WarnedColumns(warnings)
}

// EventCounts are the rows of the job by outcome when the event happened. Total is
// the sum of the others.
type EventCounts struct {
	Total       int64 `json:"total"` // estimated until the file is split
	Created     int64 `json:"created"`
	Updated     int64 `json:"updated"`
	Unchanged   int64 `json:"unchanged"` // upserted without any difference to write
	Skipped     int64 `json:"skipped"`
	Errors      int64 `json:"errors"`
	Deferred    int64 `json:"deferred"`    // wait for a decision about a value
	Unprocessed int64 `json:"unprocessed"` // the remaining rows; for a failed or cancelled job, rows without an outcome
}

// Balance sets Unprocessed, or Total if there are more rows than estimated.
func (c *EventCounts) Balance() {
	known := c.Created + c.Updated + c.Unchanged + c.Skipped + c.Errors + c.Deferred
	c.Total = max(c.Total, known)
	c.Unprocessed = c.Total - known
}

// EventRef points to an event.
type EventRef struct {
	EventID        EventID   `json:"eventId"`
	OrganisationID tenant.ID `json:"organisationId"`
}

// Valid reports whether its ids are well-formed.
func (r EventRef) Valid() bool { return isUUID(r.EventID) && r.OrganisationID.Valid() }

// EventSource is the source of Loadbay's events on the bus.
const EventSource = "loadbay"

// PublishesEvent reports whether a job that reaches this status publishes an event.
func (s Status) PublishesEvent() bool {
	return s == ColumnMapping || s == CellMapping || s == AwaitingApproval || s.Terminal()
}

// EventTitle is the name of an event about the status on the bus, where it is the
// detail-type; EventType is its name in a webhook's message.
func (s Status) EventTitle() string {
	switch s {
	case Completed:
		return "Import Completed"
	case Failed:
		return "Import Failed"
	case Cancelled:
		return "Import Cancelled"
	default:
		return "Import Waiting"
	}
}

// EventType is EventTitle in the format of webhooks.
func (s Status) EventType() string {
	switch s {
	case Completed:
		return "import.completed"
	case Failed:
		return "import.failed"
	case Cancelled:
		return "import.cancelled"
	default:
		return "import.waiting"
	}
}
