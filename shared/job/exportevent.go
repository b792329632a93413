package job

import (
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// ExportEvent reports that an export has ended. It is the data of the webhook's message.
type ExportEvent struct {
	EventID        EventID      `json:"eventId"`
	ExportID       ExportID     `json:"exportId"`
	OrganisationID tenant.ID    `json:"organisationId"`
	ImportType     string       `json:"importType"` // type of the exported rows
	Format         string       `json:"format"`
	Status         ExportStatus `json:"status"`
	FailureCode    string       `json:"failureCode,omitempty"`
	RecordCount    int64        `json:"recordCount"`
	SizeBytes      int64        `json:"sizeBytes"`
	OccurredAt     time.Time    `json:"occurredAt"`
	CreatedAt      time.Time    `json:"createdAt"`
}

// EventType is the name of the export's end in a webhook's message; "" if the webhook is not
// notified: a caller who cancels an export needs no message.
func (s ExportStatus) EventType() string {
	switch s {
	case ExportCompleted:
		return "export.completed"
	case ExportFailed:
		return "export.failed"
	}
	return ""
}
