package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// Page sizes of deliveries.
const (
	deliveriesPage    = 50
	maxDeliveriesPage = 200
)

// deliveryDocument is the delivery of an event to the webhook.
type deliveryDocument struct {
	EventID       job.EventID        `json:"eventId"`
	JobID         *job.ID            `json:"jobId"`    // null: a test, or about an export
	ExportID      *job.ExportID      `json:"exportId"` // null: not about an export
	Type          string             `json:"type"`
	Status        job.DeliveryStatus `json:"status"`
	Attempts      int                `json:"attempts"`
	HTTPStatus    *int               `json:"httpStatus"` // of the last response; null: no response
	Error         *string            `json:"fault"`      // of the last attempt
	CreatedAt     time.Time          `json:"createdAt"`
	NextAttemptAt *time.Time         `json:"nextAttemptAt"`
	EndedAt       *time.Time         `json:"endedAt"`
}

func toDelivery(d *job.Delivery) deliveryDocument {
	document := deliveryDocument{
		EventID: d.EventID, JobID: nilIfZero(d.JobID), ExportID: nilIfZero(d.ExportID), Type: d.EventType, Status: d.Status, Attempts: d.Attempts,
		Error: nilIfZero(d.Error), CreatedAt: d.CreatedAt.UTC(), EndedAt: utcOrNil(d.EndedAt),
	}
	if d.HTTPStatus != 0 {
		document.HTTPStatus = &d.HTTPStatus
	}
	if d.Status == job.DeliveryPending {
		document.NextAttemptAt = utcOrNil(&d.NextAttemptAt)
	}
	return document
}

// testRetention is how long the deliveries of tests are retained.
const testRetention = 7 * 24 * time.Hour

// testWebhook is POST /api/webhook/test: it sends a test message in the same way as all other
// messages.
func (a *api) testWebhook(w http.ResponseWriter, r *http.Request) error {
	ref := job.EventRef{EventID: job.EventID(uuid.NewString()), OrganisationID: organisationOf(r)}
	body, err := webhook.Body(webhook.TestEventType, time.Now(), ref)
	if err != nil {
		return err
	}
	var delivery *job.Delivery
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		if err := a.checkWebhookActive(ctx, tx); err != nil {
			return err
		}
		if err := a.DB.DeleteTestDeliveries(ctx, tx, testRetention); err != nil {
			return err
		}
		test := &job.Delivery{EventID: ref.EventID, EventType: webhook.TestEventType, Body: body}
		if err := a.DB.AddDelivery(ctx, tx, ref.OrganisationID, test); err != nil {
			return err
		}
		delivery, err = a.DB.Delivery(ctx, tx, ref.EventID)
		return err
	})
	if err != nil {
		return err
	}
	if err := a.WebhookQueue.SendEvent(r.Context(), ref); err != nil {
		a.Log.WarnContext(r.Context(), "queue webhook test; reconcile will retry", "error", err)
	}
	return writeJSON(w, http.StatusAccepted, toDelivery(delivery))
}

// listDeliveries is GET /api/webhook/deliveries, newest first.
func (a *api) listDeliveries(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(deliveriesPage, maxDeliveriesPage)
	f := postgres.DeliveryFilter{Status: job.DeliveryStatus(v.text("status")), Created: v.period("createdFrom", "createdTo"), Page: p.list()}
	if f.Status != "" && f.Status != job.DeliveryPending && f.Status != job.DeliveryDelivered && f.Status != job.DeliveryFailed {
		v.addError("status", "One of PENDING, DELIVERED, FAILED.")
	}
	v.rejectUnknown(pageParams("status", "createdFrom", "createdTo")...)
	if err := v.err(); err != nil {
		return err
	}
	var found []job.Delivery
	var total int64
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, total, err = a.DB.Deliveries(ctx, tx, f)
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]deliveryDocument, len(found))
	for i := range found {
		documents[i] = toDelivery(&found[i])
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.DeliveryCursor(&found[i]) }, total)
}

// checkWebhookActive returns an error if the organisation has no active webhook.
func (a *api) checkWebhookActive(ctx context.Context, tx pgx.Tx) error {
	hook, err := a.DB.Webhook(ctx, tx)
	if err == nil && hook.DisabledAt != nil {
		return problem.New(problem.StateConflict, "The webhook is disabled because its server returned 410 Gone. Register it again.")
	}
	return err
}

// redeliver is POST /api/webhook/deliveries/{eventId}/redeliver: it sends the same message with the
// same id again.
func (a *api) redeliver(w http.ResponseWriter, r *http.Request) error {
	id, err := job.ParseEventID(r.PathValue("eventId"))
	if err != nil {
		return problem.New(problem.NotFound, "No delivery of this event was found.")
	}
	ref := job.EventRef{EventID: id, OrganisationID: organisationOf(r)}
	var delivery *job.Delivery
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		if err := a.checkWebhookActive(ctx, tx); err != nil {
			return err
		}
		if _, err := a.DB.Delivery(ctx, tx, id); err != nil {
			return err
		}
		again, err := a.DB.Redeliver(ctx, tx, id)
		if err == nil && !again {
			err = problem.New(problem.StateConflict, "This message is still being delivered.")
		}
		if err != nil {
			return err
		}
		delivery, err = a.DB.Delivery(ctx, tx, id)
		return err
	})
	if err != nil {
		return err
	}
	if err := a.WebhookQueue.SendEvent(r.Context(), ref); err != nil {
		a.Log.WarnContext(r.Context(), "queue webhook message; reconcile will retry", "error", err)
	}
	return writeJSON(w, http.StatusAccepted, toDelivery(delivery))
}
