// Package notify sends notifications of an event. E-mails and results of dropped files are sent
// first, and the calls of webhooks, which may be slow, from messages of their own. An organisation
// makes few calls at a time, so that others never wait for its server. The webhook is called once,
// and again after growing delays until its server accepts the message or a day has passed. The
// result is stored with the delivery, so that nothing depends on a message remaining in a queue
// for that long. Recipients named by the import or its profile get one email each, and the
// sender of a dropped file gets a result file if its import has ended early.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Backend is the database side of notifications. The sending function cannot reach the database,
// because the database network has no internet access; StoreBackend runs in that network.
type Backend interface {
	// IsCallDue adds the delivery of an event if there is a webhook, and reports whether a call is due.
	IsCallDue(ctx context.Context, ref job.EventRef) (bool, error)
	// NextCall returns the webhook call that is due, with a slot of the organisation, or nil.
	NextCall(ctx context.Context, ref job.EventRef) (*Call, error)
	// RecordAttempt saves the result of a call and releases its slot.
	RecordAttempt(ctx context.Context, ref job.EventRef, c Call, a job.Attempt) error
	// PendingEmails returns the emails that have not been sent yet.
	PendingEmails(ctx context.Context, ref job.EventRef) ([]Email, error)
	// RecordEmail records that an email was sent or, if fault is set, permanently refused.
	RecordEmail(ctx context.Context, ref job.EventRef, address, fault string) error
	// WriteResult writes the result of a file from the drop folder to where its sender looks, if
	// the import has ended early. For any other import it writes nothing.
	WriteResult(ctx context.Context, ref job.EventRef) error
}

// Call is the delivery of an event to a webhook.
type Call struct {
	// URL is empty if the webhook no longer exists or is disabled.
	URL     string             `json:"url,omitempty"`
	Secrets []job.SealedSecret `json:"secrets,omitempty"`
	// Registered is when the webhook was last changed.
	Registered time.Time `json:"registered,omitzero"`
	EventType  string    `json:"eventType"`
	Body       string    `json:"body"` // as sent; the same in every attempt
	Attempts   int       `json:"attempts"`
	// Paused reports that the webhook is not called, because its server did not answer.
	Paused bool `json:"paused,omitempty"`
	// Slot is the organisation's slot for the call; uuid.Nil if all are taken.
	Slot uuid.UUID `json:"slot,omitzero"`
}

// Calls queues the webhook calls of events, with an own message group for each organisation.
type Calls interface {
	SendCall(ctx context.Context, ref job.EventRef, delay time.Duration) error
}

// Email is an email to one address.
type Email struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// Sender sends messages.
type Sender interface {
	Send(ctx context.Context, m webhook.Message) (status int, err error)
}

// Secrets decrypts the secrets of webhooks, which the database stores sealed.
type Secrets interface {
	Open(ctx context.Context, organisation tenant.ID, sealed job.SealedSecret) (string, error)
}

// Step is the notify function.
type Step struct {
	backend Backend
	calls   Calls
	secrets Secrets
	sender  Sender
	mailer  Mailer
	metrics *telemetry.Metrics
	log     *slog.Logger
}

// New returns the step.
func New(ledger Backend, calls Calls, secrets Secrets, sender Sender, mailer Mailer, metrics *telemetry.Metrics, log *slog.Logger) *Step {
	return &Step{backend: ledger, calls: calls, secrets: secrets, sender: sender, mailer: mailer, metrics: metrics, log: log}
}

// Run queues the call of the organisation's webhook about an event, and sends e-mails to the
// recipients named by the import or its profile. nil means that the message can be deleted. A
// failure of one does not prevent the other.
func (s *Step) Run(ctx context.Context, ref job.EventRef) error {
	ctx = telemetry.With(ctx, "event_id", ref.EventID, "organisation_id", ref.OrganisationID)
	due, err := s.backend.IsCallDue(ctx, ref)
	if err == nil && due {
		err = s.calls.SendCall(ctx, ref, 0)
	}
	if err != nil {
		err = fmt.Errorf("queue webhook call about event %s: %w", ref.EventID, err)
	}
	if failed := s.sendEmails(ctx, ref); failed != nil {
		err = errors.Join(err, fmt.Errorf("send e-mail for event %s: %w", ref.EventID, failed))
	}
	if failed := s.backend.WriteResult(ctx, ref); failed != nil {
		err = errors.Join(err, fmt.Errorf("save result of event %s: %w", ref.EventID, failed))
	}
	return err
}

// Call makes the webhook attempt that is due. After a failure the delivery becomes due again later;
// without a slot, its message is queued again.
func (s *Step) Call(ctx context.Context, ref job.EventRef) error {
	ctx = telemetry.With(ctx, "event_id", ref.EventID, "organisation_id", ref.OrganisationID)
	c, err := s.backend.NextCall(ctx, ref)
	if err != nil {
		return fmt.Errorf("notify about event %s: %w", ref.EventID, err)
	}
	if c == nil {
		return nil
	}
	attempt := webhookGone
	switch {
	case c.URL == "":
	case c.Paused:
		attempt = c.failedAttempt(0, "WEBHOOK_PAUSED")
	case c.Slot == uuid.Nil:
		return s.calls.SendCall(ctx, ref, quota.SlotPause)
	default:
		attempt = s.attempt(ctx, ref, c)
	}
	if err := s.backend.RecordAttempt(ctx, ref, *c, attempt); err != nil {
		return fmt.Errorf("notify about event %s: %w", ref.EventID, err)
	}
	s.report(ctx, c, attempt)
	return nil
}

// webhookGone ends a delivery if its webhook has been deleted or disabled in the meantime.
var webhookGone = job.Attempt{Status: job.DeliveryFailed, Error: "WEBHOOK_GONE"}

// attempt sends the message once and returns the result derived from the response.
func (s *Step) attempt(ctx context.Context, ref job.EventRef, c *Call) job.Attempt {
	status, err := s.send(ctx, ref, c)
	switch {
	case err == nil && status >= 200 && status < 300:
		return job.Attempt{Status: job.DeliveryDelivered, HTTPStatus: status}
	case status == http.StatusGone:
		return job.Attempt{Status: job.DeliveryFailed, HTTPStatus: status, Error: webhookGone.Error}
	}
	return c.failedAttempt(status, sendError(err))
}

// failedAttempt returns an attempt without a response of 2xx: the next one is due after a delay.
func (c *Call) failedAttempt(status int, why string) job.Attempt {
	made := c.Attempts + 1
	failed := job.Attempt{Status: job.DeliveryPending, HTTPStatus: status, Error: why}
	if made > len(retryDelays) {
		failed.Status = job.DeliveryFailed
		return failed
	}
	failed.Pause = retryDelays[made-1]
	return failed
}

// send signs the message with every secret and sends it.
func (s *Step) send(ctx context.Context, ref job.EventRef, c *Call) (status int, err error) {
	secrets := make([]string, len(c.Secrets))
	for i, sealed := range c.Secrets {
		if secrets[i], err = s.secrets.Open(ctx, ref.OrganisationID, sealed); err != nil {
			s.log.ErrorContext(ctx, "decrypt webhook secret", "error", err)
			return 0, err
		}
	}
	return s.sender.Send(ctx, webhook.Message{URL: c.URL, Secrets: secrets, ID: string(ref.EventID), Body: c.Body})
}

// sendError returns the reason of a failed attempt as it is stored.
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

// retryDelays are the delays after failed attempts, nearly a day in total. The delivery fails
// if the attempt after the last delay fails.
var retryDelays = [...]time.Duration{
	30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

// report logs and counts an attempt.
func (s *Step) report(ctx context.Context, c *Call, a job.Attempt) {
	s.metrics.Count("webhook.attempts", 1, telemetry.Dimension{Name: "result", Value: string(a.Status)})
	attrs := []any{"event_type", c.EventType, "attempt", c.Attempts + 1, "http_status", a.HTTPStatus}
	switch a.Status {
	case job.DeliveryDelivered:
		s.log.InfoContext(ctx, "webhook delivered", attrs...)
	case job.DeliveryFailed:
		s.log.WarnContext(ctx, "webhook delivery failed permanently", append(attrs, "code", a.Error)...)
	default:
		s.log.InfoContext(ctx, "webhook delivery failed",
			append(attrs, "code", a.Error, "again_in", a.Pause.String())...)
	}
}
