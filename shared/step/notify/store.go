package notify

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
)

// Store reads and updates events, webhooks and deliveries.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Webhook(ctx context.Context, tx pgx.Tx) (*job.Webhook, error)
	Event(ctx context.Context, tx pgx.Tx, id job.EventID) (*job.Event, error)
	AddDelivery(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *job.Delivery) error
	Delivery(ctx context.Context, tx pgx.Tx, eventID job.EventID) (*job.Delivery, error)
	SaveAttempt(ctx context.Context, tx pgx.Tx, eventID job.EventID, a job.Attempt) error
	DisableWebhook(ctx context.Context, tx pgx.Tx, organisation tenant.ID, w *job.Webhook) error
	CountAnswer(ctx context.Context, tx pgx.Tx, organisation tenant.ID, w *job.Webhook, answered bool) error
	TakeSlot(ctx context.Context, tx pgx.Tx, organisation tenant.ID, s quota.Slot) (uuid.UUID, error)
	ReleaseSlot(ctx context.Context, tx pgx.Tx, id uuid.UUID) error
	Emails
}

// Results writes the result of a file from the drop folder to where its sender looks; for any
// other file it writes nothing.
type Results interface {
	Write(ctx context.Context, ref job.Ref) error
}

// StoreBackend implements Backend on the database.
type StoreBackend struct {
	store   Store
	results Results
}

// NewStoreBackend returns the backend.
func NewStoreBackend(store Store, results Results) *StoreBackend {
	return &StoreBackend{store: store, results: results}
}

// IsCallDue implements Backend. A delivery is added with the first message about its event, if there
// is an active webhook at that time.
func (b *StoreBackend) IsCallDue(ctx context.Context, ref job.EventRef) (due bool, err error) {
	err = b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		hook, err := b.activeWebhook(ctx, tx)
		if err != nil {
			return err
		}
		if hook != nil {
			if err := b.addDelivery(ctx, tx, ref); err != nil {
				return err
			}
		}
		d, err := b.dueDelivery(ctx, tx, ref)
		due = d != nil
		return err
	})
	return due, err
}

// NextCall implements Backend.
func (b *StoreBackend) NextCall(ctx context.Context, ref job.EventRef) (c *Call, err error) {
	err = b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		c = nil
		hook, err := b.activeWebhook(ctx, tx)
		if err != nil {
			return err
		}
		d, err := b.dueDelivery(ctx, tx, ref)
		if err != nil || d == nil {
			return err
		}
		if c = newCall(hook, d); hook != nil && !hook.Paused {
			c.Slot, err = b.store.TakeSlot(ctx, tx, ref.OrganisationID, quota.CallSlot)
		}
		return err
	})
	return c, err
}

// dueDelivery returns the delivery of an event if its next attempt is due, or nil.
func (b *StoreBackend) dueDelivery(ctx context.Context, tx pgx.Tx, ref job.EventRef) (*job.Delivery, error) {
	d, err := b.store.Delivery(ctx, tx, ref.EventID)
	if isNotFound(err) || err == nil && (d.Status != job.DeliveryPending || !d.AttemptDue) {
		return nil, nil //nolint:nilnil // no attempt is due
	}
	return d, err
}

func newCall(hook *job.Webhook, d *job.Delivery) *Call {
	c := &Call{EventType: d.EventType, Body: d.Body, Attempts: d.Attempts}
	if hook != nil {
		c.URL, c.Secrets, c.Registered, c.Paused = hook.URL, hook.Secrets, hook.UpdatedAt, hook.Paused
	}
	return c
}

// activeWebhook returns the organisation's webhook, or nil if there is none or it is disabled.
func (b *StoreBackend) activeWebhook(ctx context.Context, tx pgx.Tx) (*job.Webhook, error) {
	hook, err := b.store.Webhook(ctx, tx)
	if isNotFound(err) || err == nil && hook.DisabledAt != nil {
		return nil, nil //nolint:nilnil // nobody listens
	}
	return hook, err
}

// addDelivery adds the delivery of an event, if it does not exist yet. Tests have no event, and
// an event that no longer exists was deleted with its job.
func (b *StoreBackend) addDelivery(ctx context.Context, tx pgx.Tx, ref job.EventRef) error {
	e, err := b.store.Event(ctx, tx, ref.EventID)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	body, err := webhook.Body(e.Status.EventType(), e.OccurredAt, e)
	if err != nil {
		return err
	}
	return b.store.AddDelivery(ctx, tx, ref.OrganisationID, &job.Delivery{EventID: e.EventID, JobID: e.JobID, EventType: e.Status.EventType(), Body: body})
}

func isNotFound(err error) bool { return problem.CodeOf(err) == problem.NotFound }

// RecordAttempt implements Backend. A server that responds with 410 Gone is not called again.
func (b *StoreBackend) RecordAttempt(ctx context.Context, ref job.EventRef, c Call, a job.Attempt) error {
	hook := &job.Webhook{URL: c.URL, UpdatedAt: c.Registered}
	return b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if a.HTTPStatus == http.StatusGone {
			if err := b.store.DisableWebhook(ctx, tx, ref.OrganisationID, hook); err != nil {
				return err
			}
		}
		if err := b.store.SaveAttempt(ctx, tx, ref.EventID, a); err != nil || c.Slot == uuid.Nil {
			return err
		}
		if a.HTTPStatus != 0 || a.Error != string(problem.Internal) {
			if err := b.store.CountAnswer(ctx, tx, ref.OrganisationID, hook, a.HTTPStatus != 0); err != nil {
				return err
			}
		}
		return b.store.ReleaseSlot(ctx, tx, c.Slot)
	})
}

// WriteResult implements Backend. The execution that ends an import writes its result, too, but
// an import can also be cancelled by a caller, ended by reconcile or purge, or stopped for too
// many errors.
func (b *StoreBackend) WriteResult(ctx context.Context, ref job.EventRef) error {
	var e *job.Event
	err := b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if e, err = b.store.Event(ctx, tx, ref.EventID); isNotFound(err) {
			e, err = nil, nil
		}
		return err
	})
	if err != nil || e == nil || !e.Status.Terminal() || e.Status == job.Completed {
		return err
	}
	return b.results.Write(ctx, job.Ref{JobID: e.JobID, OrganisationID: ref.OrganisationID})
}
