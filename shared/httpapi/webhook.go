package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/problem"
)

// WebhookChecker checks the addresses of webhooks.
type WebhookChecker interface {
	Check(address string) error
}

// SecretSealer encrypts the secrets of webhooks for storage in the database.
type SecretSealer interface {
	Seal(ctx context.Context, organisation tenant.ID, secret string) (job.SealedSecret, error)
}

// WebhookQueue sends events to webhooks.
type WebhookQueue interface {
	SendEvent(ctx context.Context, ref job.EventRef) error
}

// webhookRoutes lists the operations on an organisation's webhook.
func (a *api) webhookRoutes() []route {
	return []route{
		{"PUT", "/api/webhook", scopeWebhooksWrite, withoutQuery(a.registerWebhook)},
		{"GET", "/api/webhook", scopeWebhooksRead, withoutQuery(a.getWebhook)},
		{"DELETE", "/api/webhook", scopeWebhooksWrite, withoutQuery(a.deleteWebhook)},
		{"POST", "/api/webhook/rotate-secret", scopeWebhooksWrite, withoutQuery(a.rotateSecret)},
		{"POST", "/api/webhook/test", scopeWebhooksWrite, withoutQuery(a.testWebhook)},
		{"GET", "/api/webhook/events", scopeWebhooksRead, a.listEvents},
		{"GET", "/api/webhook/deliveries", scopeWebhooksRead, a.listDeliveries},
		{"POST", "/api/webhook/deliveries/{eventId}/redeliver", scopeWebhooksWrite, withoutQuery(a.redeliver)},
	}
}

// webhookDocument is the JSON form of a webhook. The secret is included only in the response to the
// request that created it.
type webhookDocument struct {
	URL                 string     `json:"url"`
	Enabled             bool       `json:"enabled"`
	Secret              string     `json:"secret,omitempty"`
	PreviousSecretUntil *time.Time `json:"previousSecretUntil,omitempty"`
	DisabledAt          *time.Time `json:"disabledAt,omitempty"`
	CreatedAt           time.Time  `json:"createdAt"`
	UpdatedAt           time.Time  `json:"updatedAt"`
}

func toWebhook(w *job.Webhook, shown string) webhookDocument {
	return webhookDocument{
		URL: w.URL, Enabled: w.DisabledAt == nil, Secret: shown, PreviousSecretUntil: utcOrNil(w.PreviousUntil),
		DisabledAt: utcOrNil(w.DisabledAt), CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(),
	}
}

// maxWebhookURL is the maximum size of a webhook's address in bytes.
const maxWebhookURL = 2048

// registerWebhook is PUT /api/webhook. The first request creates the secret; later requests change
// the address and enable a disabled webhook.
func (a *api) registerWebhook(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		URL string `json:"url"`
	}
	if err := readJSON(r, &body, maxDocument); err != nil {
		return err
	}
	if len(body.URL) > maxWebhookURL {
		return problem.New(problem.ParameterInvalid, "A URL can have at most %d bytes.", maxWebhookURL).
			With("url", problem.ParameterInvalid, "Too long.")
	}
	if err := a.Webhooks.Check(body.URL); err != nil {
		return err
	}
	var hook *job.Webhook
	status, shown, secret := http.StatusOK, "", webhook.NewSecret()
	sealed, err := a.Secrets.Seal(r.Context(), organisationOf(r), secret)
	if err != nil {
		return err
	}
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		created, err := a.DB.RegisterWebhook(ctx, tx, organisationOf(r), body.URL, sealed)
		if err != nil {
			return err
		}
		if created {
			status, shown = http.StatusCreated, secret
		}
		hook, err = a.DB.Webhook(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, status, toWebhook(hook, shown))
}

// getWebhook is GET /api/webhook.
func (a *api) getWebhook(w http.ResponseWriter, r *http.Request) error {
	var hook *job.Webhook
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		hook, err = a.DB.Webhook(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toWebhook(hook, ""))
}

// deleteWebhook is DELETE /api/webhook. Pending messages are no longer delivered.
func (a *api) deleteWebhook(w http.ResponseWriter, r *http.Request) error {
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		ok, err := a.DB.DeleteWebhook(ctx, tx, organisationOf(r))
		return webhookNotFound(ok, err)
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func webhookNotFound(ok bool, err error) error {
	if err == nil && !ok {
		return problem.New(problem.NotFound, "No webhook is registered.")
	}
	return err
}

// secretOverlap is how long messages are signed with the old secret as well after a rotation.
const secretOverlap = 24 * time.Hour

// rotateSecret is POST /api/webhook/rotate-secret.
func (a *api) rotateSecret(w http.ResponseWriter, r *http.Request) error {
	var hook *job.Webhook
	secret := webhook.NewSecret()
	sealed, err := a.Secrets.Seal(r.Context(), organisationOf(r), secret)
	if err != nil {
		return err
	}
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		ok, err := a.DB.RotateSecret(ctx, tx, organisationOf(r), sealed, secretOverlap)
		if err := webhookNotFound(ok, err); err != nil {
			return err
		}
		hook, err = a.DB.Webhook(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toWebhook(hook, secret))
}
