package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Webhook returns the organisation's webhook, or NOT_FOUND.
func (*DB) Webhook(ctx context.Context, tx pgx.Tx) (*job.Webhook, error) {
	var w job.Webhook
	err := tx.QueryRow(ctx, `
		SELECT url, CASE WHEN previous_until > now() THEN ARRAY[secret, previous_secret] ELSE ARRAY[secret] END,
			CASE WHEN previous_until > now() THEN previous_until END, disabled_at, created_at, updated_at,
			coalesce(paused_until > now(), false)
		FROM webhooks`).Scan(&w.URL, &w.Secrets, &w.PreviousUntil, &w.DisabledAt, &w.CreatedAt, &w.UpdatedAt, &w.Paused)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, problem.New(problem.NotFound, "No webhook is registered.")
	}
	if err != nil {
		return nil, fmt.Errorf("read webhook: %w", err)
	}
	return &w, nil
}

// RegisterWebhook stores the address to which the organisation's events are sent, with a
// sealed secret if there is none yet, and reports whether there was none. It also enables a
// disabled webhook.
func (*DB) RegisterWebhook(ctx context.Context, tx pgx.Tx, organisation tenant.ID, url string, secret job.SealedSecret) (created bool, err error) {
	err = tx.QueryRow(ctx, `
		INSERT INTO webhooks (organisation_id, url, secret)
		VALUES ($1, $2, $3)
		ON CONFLICT (organisation_id) DO UPDATE SET url = $2, disabled_at = NULL, unanswered = 0, paused_until = NULL, updated_at = now()
		RETURNING secret = $3`, organisation, url, secret).Scan(&created)
	if err != nil {
		return false, fmt.Errorf("register webhook: %w", err)
	}
	return created, nil
}

// RotateSecret sets a new secret for the webhook. The old one also signs until the overlap
// ends. ok is false if there is no webhook.
func (*DB) RotateSecret(ctx context.Context, tx pgx.Tx, organisation tenant.ID, secret job.SealedSecret, overlap time.Duration) (ok bool, err error) {
	return anyAffected(tx.Exec(ctx, `
		UPDATE webhooks
		SET previous_secret = secret, previous_until = now() + make_interval(secs => $3), secret = $2, updated_at = now()
		WHERE organisation_id = $1`, organisation, secret, overlap.Seconds()))
}

// DisableWebhook disables the webhook, unless it has changed since it was read.
func (*DB) DisableWebhook(ctx context.Context, tx pgx.Tx, organisation tenant.ID, w *job.Webhook) error {
	_, err := tx.Exec(ctx, `
		UPDATE webhooks
		SET disabled_at = coalesce(disabled_at, now())
		WHERE organisation_id = $1 AND updated_at = $2`, organisation, w.UpdatedAt)
	if err != nil {
		return fmt.Errorf("disable webhook: %w", err)
	}
	return nil
}

// CountAnswer records whether the webhook's server has answered. After three calls in a row without
// an answer the webhook is paused for a minute, and twice as long after each further one, up to 16
// minutes.
func (*DB) CountAnswer(ctx context.Context, tx pgx.Tx, organisation tenant.ID, w *job.Webhook, answered bool) error {
	_, err := tx.Exec(ctx, `
		UPDATE webhooks
		SET unanswered = CASE WHEN $3 THEN 0 ELSE least(unanswered, 100) + 1 END,
		    paused_until = CASE WHEN NOT $3 AND unanswered >= 2 THEN now() + make_interval(mins => (2 ^ least(unanswered - 2, 4))::int) END
		WHERE organisation_id = $1 AND updated_at = $2 AND NOT ($3 AND unanswered = 0)`, organisation, w.UpdatedAt, answered)
	if err != nil {
		return fmt.Errorf("record the webhook's answer: %w", err)
	}
	return nil
}

// DeleteWebhook deletes the webhook; ok is false if there is none.
func (*DB) DeleteWebhook(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (ok bool, err error) {
	return anyAffected(tx.Exec(ctx, `DELETE FROM webhooks WHERE organisation_id = $1`, organisation))
}
