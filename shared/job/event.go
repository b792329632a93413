package job

import (
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Event says that a job has come to rest: that it has ended, or waits for a person.
// It holds ids, figures and times, and nothing from the file. It is the detail of the
// event on the bus, and the data of the webhook's message.
type Event struct {
	EventID        EventID   `json:"eventId"`
	Sequence       int       `json:"sequence"` // within the job, from 1: events can arrive in any order
	JobID          ID        `json:"jobId"`
	OrganisationID tenant.ID `json:"organisationId"`
	ImportType     string    `json:"importType"`
	Status         Status    `json:"status"`
	DryRun         bool      `json:"dryRun"`
	UndoOf         ID        `json:"undoOf,omitempty"` // the job that it takes back; its rows are that one's changes
	// FailureCode says why a job ended as FAILED or CANCELLED; a caller who
	// cancels gives no reason.
	FailureCode string      `json:"failureCode,omitempty"`
	Counts      EventCounts `json:"counts"`
	OccurredAt  time.Time   `json:"occurredAt"`
	CreatedAt   time.Time   `json:"createdAt"`
	StartedAt   *time.Time  `json:"startedAt,omitempty"`   // of the first row's processing
	CompletedAt *time.Time  `json:"completedAt,omitempty"` // of an event about the end
}

// EventCounts are the rows of the job by outcome when the event happened. Total is
// the sum of the others.
type EventCounts struct {
	Total       int64 `json:"total"` // estimated until the file is cut
	Created     int64 `json:"created"`
	Updated     int64 `json:"updated"`
	Unchanged   int64 `json:"unchanged"` // upserted, and nothing had to be written
	Skipped     int64 `json:"skipped"`
	Errors      int64 `json:"errors"`
	Deferred    int64 `json:"deferred"`    // wait for what a person says about a value
	Unprocessed int64 `json:"unprocessed"` // the rest; of a job that has failed or was cancelled, rows that nothing came of
}

// Balance sets Unprocessed, or Total where more rows have been met than were estimated.
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

// PublishesEvent reports whether a job in this status is at rest, so that an event is
// published.
func (s Status) PublishesEvent() bool {
	return s == ColumnMapping || s == CellMapping || s == AwaitingApproval || s.Terminal()
}

// EventTitle is what an event about the status is called on the bus, where it is
// the detail-type; EventType is the same in a webhook's message.
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

// EventType is EventTitle as webhooks spell it.
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
