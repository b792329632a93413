package outbox

import (
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
)

// ExportDelivery returns the webhook delivery for the end of an export; nil if webhooks are
// not notified of that status. It belongs in the transaction that ends the export.
func ExportDelivery(e *job.Export, at time.Time) (*job.Delivery, error) {
	kind := e.Status.EventType()
	if kind == "" {
		return nil, nil
	}
	event := job.ExportEvent{
		EventID: job.EventID(uuid.NewString()), ExportID: e.ID, OrganisationID: e.OrganisationID, ImportType: e.ImportType, Format: e.Format,
		Status: e.Status, RecordCount: e.Records, SizeBytes: e.SizeBytes, OccurredAt: at.UTC(), CreatedAt: e.CreatedAt.UTC(),
	}
	if e.Failure != nil {
		event.FailureCode = e.Failure.Code
	}
	body, err := webhook.Body(kind, at, event)
	if err != nil {
		return nil, err
	}
	return &job.Delivery{EventID: event.EventID, ExportID: e.ID, EventType: kind, Body: body}, nil
}
