package notify

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/problem"
)

// Store keeps events, webhooks, and what was delivered.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Webhook(ctx context.Context, tx pgx.Tx) (*job.Webhook, error)
	Event(ctx context.Context, tx pgx.Tx, id job.EventID) (*job.Event, error)
	AddDelivery(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *job.Delivery) error
	Delivery(ctx context.Context, tx pgx.Tx, eventID job.EventID) (*job.Delivery, error)
	SaveAttempt(ctx context.Context, tx pgx.Tx, eventID job.EventID, a job.Attempt) error
	DisableWebhook(ctx context.Context, tx pgx.Tx, organisation tenant.ID, w *job.Webhook) error
	Emails
}

// Results writes what came of a file of the drop folder to where its sender looks; of
// any other it writes nothing.
type Results interface {
	Write(ctx context.Context, ref job.Ref) error
}

// StoreBackend is the Ledger that the database keeps.
type StoreBackend struct {
	store   Store
	results Results
}

// NewStoreBackend returns the ledger.
func NewStoreBackend(store Store, results Results) *StoreBackend {
	return &StoreBackend{store: store, results: results}
}

// NextCall implements Ledger. A delivery begins with the first message about its event, where
// somebody listens then.
func (b *StoreBackend) NextCall(ctx context.Context, ref job.EventRef) (c *Call, err error) {
	err = b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		c = nil
		hook, err := b.activeWebhook(ctx, tx)
		if err != nil {
			return err
		}
		if hook != nil {
			if err := b.addDelivery(ctx, tx, ref); err != nil {
				return err
			}
		}
		d, err := b.store.Delivery(ctx, tx, ref.EventID)
		if isNotFound(err) {
			return nil
		}
		if err == nil && d.Status == job.DeliveryPending && d.AttemptDue {
			c = newCall(hook, d)
		}
		return err
	})
	return c, err
}

func newCall(hook *job.Webhook, d *job.Delivery) *Call {
	c := &Call{EventType: d.EventType, Body: d.Body, Attempts: d.Attempts}
	if hook != nil {
		c.URL, c.Secrets, c.Registered = hook.URL, hook.Secrets, hook.UpdatedAt
	}
	return c
}

// activeWebhook is the organisation's webhook, or nil where nobody listens.
func (b *StoreBackend) activeWebhook(ctx context.Context, tx pgx.Tx) (*job.Webhook, error) {
	hook, err := b.store.Webhook(ctx, tx)
	if isNotFound(err) || err == nil && hook.DisabledAt != nil {
		return nil, nil //nolint:nilnil // nobody listens
	}
	return hook, err
}

// addDelivery adds the delivery of an event, if it is not there yet. Tests have no
// event, and an event that is gone went with its job.
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

// RecordAttempt implements Ledger. A server that says that it is gone is not called again.
func (b *StoreBackend) RecordAttempt(ctx context.Context, ref job.EventRef, c Call, a job.Attempt) error {
	return b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if a.HTTPStatus == http.StatusGone {
			if err := b.store.DisableWebhook(ctx, tx, ref.OrganisationID, &job.Webhook{URL: c.URL, UpdatedAt: c.Registered}); err != nil {
				return err
			}
		}
		return b.store.SaveAttempt(ctx, tx, ref.EventID, a)
	})
}

// WriteResult implements Ledger. Its execution writes the result of an import, too, if it is
// what has ended it; but an import is also cancelled by a caller, given up by reconcile and
// purge, and stopped for too many errors.
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
