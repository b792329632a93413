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

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Backend is the database's side of telling. The function that tells has no way to the
// database, as the database's network has none to the internet (Books keeps it).
type Backend interface {
	// Due returns the call of the webhook that is to be made now, or nil.
	NextCall(ctx context.Context, ref job.EventRef) (*Call, error)
	// Attempted notes what came of a call.
	RecordAttempt(ctx context.Context, ref job.EventRef, c Call, a job.Attempt) error
	// Letters are the mails that nobody has sent yet.
	PendingEmails(ctx context.Context, ref job.EventRef) ([]Email, error)
	// Mailed notes that a mail was sent or, with a fault, refused for good.
	RecordEmail(ctx context.Context, ref job.EventRef, address, fault string) error
	// Result writes what came of a file of the drop folder to where its sender looks, if
	// the import has ended early; of any other it writes nothing.
	WriteResult(ctx context.Context, ref job.EventRef) error
}

// Call is the delivery of an event to a webhook.
type Call struct {
	// URL is empty where nobody listens any more.
	URL     string             `json:"url,omitempty"`
	Secrets []job.SealedSecret `json:"secrets,omitempty"`
	// Registered is when the webhook was last changed.
	Registered time.Time `json:"registered,omitzero"`
	EventType  string    `json:"eventType"`
	Body       string    `json:"body"` // as it is sent, the same in every attempt
	Attempts   int       `json:"attempts"`
}

// Email is a mail to one address.
type Email struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
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
	backend Backend
	secrets Secrets
	sender  Sender
	mailer  Mailer
	metrics *telemetry.Metrics
	log     *slog.Logger
}

// New returns the step.
func New(ledger Backend, secrets Secrets, sender Sender, mailer Mailer, metrics *telemetry.Metrics, log *slog.Logger) *Step {
	return &Step{backend: ledger, secrets: secrets, sender: sender, mailer: mailer, metrics: metrics, log: log}
}

// Run tells of an event: the organisation's webhook, and whom the import or its
// profile names by mail.
// nil means that the message is done with. Neither keeps the other from being told.
func (s *Step) Run(ctx context.Context, ref job.EventRef) error {
	ctx = telemetry.With(ctx, "event_id", ref.EventID, "organisation_id", ref.OrganisationID)
	err := s.deliver(ctx, ref)
	if failed := s.sendEmails(ctx, ref); failed != nil {
		err = errors.Join(err, fmt.Errorf("mail about event %s: %w", ref.EventID, failed))
	}
	if failed := s.backend.WriteResult(ctx, ref); failed != nil {
		err = errors.Join(err, fmt.Errorf("result of event %s: %w", ref.EventID, failed))
	}
	return err
}

// deliver makes the attempt at the webhook that is due. What could not be delivered is due
// again later.
func (s *Step) deliver(ctx context.Context, ref job.EventRef) error {
	c, err := s.backend.NextCall(ctx, ref)
	if err != nil {
		return fmt.Errorf("notify of event %s: %w", ref.EventID, err)
	}
	if c == nil {
		return nil
	}
	attempt := webhookGone
	if c.URL != "" {
		attempt = s.attempt(ctx, ref, c)
	}
	if err := s.backend.RecordAttempt(ctx, ref, *c, attempt); err != nil {
		return fmt.Errorf("notify of event %s: %w", ref.EventID, err)
	}
	s.report(ctx, c, attempt)
	return nil
}

// webhookGone ends a delivery whose webhook has been deleted or disabled meanwhile.
var webhookGone = job.Attempt{Status: job.DeliveryFailed, Error: "WEBHOOK_GONE"}

// attempt sends the message once and returns what follows from the response.
func (s *Step) attempt(ctx context.Context, ref job.EventRef, c *Call) job.Attempt {
	status, err := s.send(ctx, ref, c)
	switch {
	case err == nil && status >= 200 && status < 300:
		return job.Attempt{Status: job.DeliveryDelivered, HTTPStatus: status}
	case status == http.StatusGone:
		return job.Attempt{Status: job.DeliveryFailed, HTTPStatus: status, Error: webhookGone.Error}
	}
	made := c.Attempts + 1
	failed := job.Attempt{Status: job.DeliveryPending, HTTPStatus: status, Error: sendError(err)}
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
			s.log.ErrorContext(ctx, "a webhook's secret cannot be opened", "error", err)
			return 0, err
		}
	}
	return s.sender.Send(ctx, webhook.Message{URL: c.URL, Secrets: secrets, ID: string(ref.EventID), Body: c.Body})
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

// retryDelays follow the attempts that fail, one each: nearly a day together. After
// the one that follows the last pause the delivery is given up.
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
		s.log.InfoContext(ctx, "webhook told", attrs...)
	case job.DeliveryFailed:
		s.log.WarnContext(ctx, "webhook given up", append(attrs, "code", a.Error)...)
	default:
		s.log.InfoContext(ctx, "webhook not told", append(attrs, "code", a.Error, "again_in", a.Pause.String())...)
	}
}
