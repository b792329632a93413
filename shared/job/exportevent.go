package job

import (
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// ExportEvent says that an export has ended. It is the data of the webhook's message.
type ExportEvent struct {
	EventID        EventID      `json:"eventId"`
	ExportID       ExportID     `json:"exportId"`
	OrganisationID tenant.ID    `json:"organisationId"`
	ImportType     string       `json:"importType"` // whose rows are exported
	Format         string       `json:"format"`
	Status         ExportStatus `json:"status"`
	FailureCode    string       `json:"failureCode,omitempty"`
	RecordCount    int64        `json:"recordCount"`
	SizeBytes      int64        `json:"sizeBytes"`
	OccurredAt     time.Time    `json:"occurredAt"`
	CreatedAt      time.Time    `json:"createdAt"`
}

// EventType is what the end of an export is called in a webhook's message; "" where it is
// none that the webhook is told of: whoever cancels an export knows.
func (s ExportStatus) EventType() string {
	switch s {
	case ExportCompleted:
		return "export.completed"
	case ExportFailed:
		return "export.failed"
	}
	return ""
}
