// Package notify tells of an event. An organisation's webhook is sent it once, and again after
// growing pauses until its server accepts it or a day has passed. What came of
// it is kept with the delivery, so that nothing depends on a message staying in a
// queue that long. The people whom the import or its profile names
// get a mail each, and the sender of a dropped file whose import has ended early a result.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/outbound/webhook"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/telemetry"
	"github.com/loadbay/loadbay/shared/tenant"
)

// Store keeps events, webhooks, and what was delivered.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Webhook(ctx context.Context, tx pgx.Tx) (*job.Webhook, error)
	Event(ctx context.Context, tx pgx.Tx, id job.EventID) (*job.Event, error)
	AddDelivery(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *job.Delivery) error
	Delivery(ctx context.Context, tx pgx.Tx, eventID job.EventID) (*job.Delivery, error)
	DeliveryAttempted(ctx context.Context, tx pgx.Tx, eventID job.EventID, a job.Attempt) error
	DisableWebhook(ctx context.Context, tx pgx.Tx, organisation tenant.ID, w *job.Webhook) error
	Mails
}

// Sender sends messages.
type Sender interface {
	Send(ctx context.Context, m webhook.Message) (status int, err error)
}

// Secrets opens the secrets of webhooks, which the database keeps sealed.
type Secrets interface {
	Open(ctx context.Context, organisation tenant.ID, sealed job.SealedSecret) (string, error)
}

// Step is the notify function.
type Step struct {
	store   Store
	secrets Secrets
	sender  Sender
	mailer  Mailer
	results Results
	metrics *telemetry.Metrics
	log     *slog.Logger
}

// New returns the step.
func New(store Store, secrets Secrets, sender Sender, mailer Mailer, results Results, metrics *telemetry.Metrics, log *slog.Logger) *Step {
	return &Step{store: store, secrets: secrets, sender: sender, mailer: mailer, results: results, metrics: metrics, log: log}
}

// Run tells of an event: the organisation's webhook, and whom the import or its
// profile names by mail.
// nil means that the message is done with. Neither keeps the other from being told.
func (s *Step) Run(ctx context.Context, ref job.EventRef) error {
	ctx = telemetry.With(ctx, "event_id", ref.EventID, "organisation_id", ref.OrganisationID)
	err := s.call(ctx, ref)
	if failed := s.mail(ctx, ref); failed != nil {
		err = errors.Join(err, fmt.Errorf("mail about event %s: %w", ref.EventID, failed))
	}
	if failed := s.result(ctx, ref); failed != nil {
		err = errors.Join(err, fmt.Errorf("result of event %s: %w", ref.EventID, failed))
	}
	return err
}

// call makes the attempt at the webhook that is due. What could not be delivered is due
// again later.
func (s *Step) call(ctx context.Context, ref job.EventRef) error {
	hook, delivery, err := s.load(ctx, ref)
	if err != nil {
		return fmt.Errorf("notify of event %s: %w", ref.EventID, err)
	}
	if delivery == nil || delivery.Status != job.DeliveryPending || !delivery.NextAttempt {
		return nil
	}
	attempt := unheard
	if hook != nil {
		attempt = s.attempt(ctx, ref.OrganisationID, hook, delivery)
	}
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if attempt.HTTPStatus == http.StatusGone {
			if err := s.store.DisableWebhook(ctx, tx, ref.OrganisationID, hook); err != nil {
				return err
			}
		}
		return s.store.DeliveryAttempted(ctx, tx, ref.EventID, attempt)
	})
	if err != nil {
		return fmt.Errorf("notify of event %s: %w", ref.EventID, err)
	}
	s.report(ctx, delivery, attempt)
	return nil
}

// unheard ends a delivery whose webhook has been deleted or disabled meanwhile.
var unheard = job.Attempt{Status: job.DeliveryFailed, Error: "WEBHOOK_GONE"}

// load returns the organisation's webhook and the delivery of the event to it,
// which begins with the first message. The webhook is nil where nobody listens
// any more, the delivery where nobody ever did.
func (s *Step) load(ctx context.Context, ref job.EventRef) (hook *job.Webhook, delivery *job.Delivery, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if hook, err = s.store.Webhook(ctx, tx); missing(err) || err == nil && hook.DisabledAt != nil {
			hook, err = nil, nil
		}
		if err != nil {
			return err
		}
		if hook != nil {
			if err := s.begin(ctx, tx, ref); err != nil {
				return err
			}
		}
		if delivery, err = s.store.Delivery(ctx, tx, ref.EventID); missing(err) {
			delivery, err = nil, nil
		}
		return err
	})
	return hook, delivery, err
}

// begin adds the delivery of an event, if it is not there yet. Tests have no
// event, and an event that is gone went with its job.
func (s *Step) begin(ctx context.Context, tx pgx.Tx, ref job.EventRef) error {
	e, err := s.store.Event(ctx, tx, ref.EventID)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	body, err := webhook.Body(e.Status.EventType(), e.OccurredAt, e)
	if err != nil {
		return err
	}
	return s.store.AddDelivery(ctx, tx, ref.OrganisationID, &job.Delivery{EventID: e.EventID, JobID: e.JobID, EventType: e.Status.EventType(), Body: body})
}

func missing(err error) bool { return problem.CodeOf(err) == problem.NotFound }

// attempt sends the message once and returns what follows from the response.
func (s *Step) attempt(ctx context.Context, organisation tenant.ID, hook *job.Webhook, d *job.Delivery) job.Attempt {
	status, err := s.send(ctx, organisation, hook, d)
	switch {
	case err == nil && status >= 200 && status < 300:
		return job.Attempt{Status: job.DeliveryDelivered, HTTPStatus: status}
	case status == http.StatusGone:
		return job.Attempt{Status: job.DeliveryFailed, HTTPStatus: status, Error: unheard.Error}
	}
	made := d.Attempts + 1
	failed := job.Attempt{Status: job.DeliveryPending, HTTPStatus: status, Error: sendError(err)}
	if made > len(pauses) {
		failed.Status = job.DeliveryFailed
		return failed
	}
	failed.Pause = pauses[made-1]
	return failed
}

// send signs the message with every secret and sends it.
func (s *Step) send(ctx context.Context, organisation tenant.ID, hook *job.Webhook, d *job.Delivery) (status int, err error) {
	secrets := make([]string, len(hook.Secrets))
	for i, sealed := range hook.Secrets {
		if secrets[i], err = s.secrets.Open(ctx, organisation, sealed); err != nil {
			s.log.ErrorContext(ctx, "a webhook's secret cannot be opened", "error", err)
			return 0, err
		}
	}
	return s.sender.Send(ctx, webhook.Message{URL: hook.URL, Secrets: secrets, ID: string(d.EventID), Body: d.Body})
}

// sendError is the stored reason why an attempt failed.
func sendError(err error) string {
	var known *problem.Error
	switch {
	case err == nil:
		return "HTTP_STATUS"
	case errors.As(err, &known):
		return string(known.Code)
	default:
		return string(problem.Internal)
	}
}

// pauses follow the attempts that fail, one each: nearly a day together. After
// the one that follows the last pause the delivery is given up.
var pauses = [...]time.Duration{
	30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

// report logs and counts an attempt.
func (s *Step) report(ctx context.Context, d *job.Delivery, a job.Attempt) {
	s.metrics.Count("webhook.attempts", 1, telemetry.Dimension{Name: "result", Value: string(a.Status)})
	attrs := []any{"event_type", d.EventType, "attempt", d.Attempts + 1, "http_status", a.HTTPStatus}
	switch a.Status {
	case job.DeliveryDelivered:
		s.log.InfoContext(ctx, "webhook told", attrs...)
	case job.DeliveryFailed:
		s.log.WarnContext(ctx, "webhook given up", append(attrs, "code", a.Error)...)
	default:
		s.log.InfoContext(ctx, "webhook not told", append(attrs, "code", a.Error, "again_in", a.Pause.String())...)
	}
}
