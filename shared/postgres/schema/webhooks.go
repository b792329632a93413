package schema

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres/searchpath"
)

// Resealer seals secrets with the current key.
type Resealer interface {
	// HasKeys is called before the table is locked, even if there is nothing to seal, so that
	// a deployment fails instead of the first webhook.
	HasKeys(ctx context.Context) error
	// Reseal reports with changed whether the secret had to be resealed.
	Reseal(ctx context.Context, organisation tenant.ID, sealed job.SealedSecret) (renewed job.SealedSecret, changed bool, err error)
}

// SealWebhooks seals the webhook secrets that are not sealed or use a key that is being
// retired, and returns how many webhooks it has changed. It connects as the owner. FORCE applies
// row level security to the owner as well, so the transaction disables it, and locks the table
// meanwhile.
func SealWebhooks(ctx context.Context, owner *pgx.ConnConfig, secrets Resealer) (changed int, err error) {
	if err := secrets.HasKeys(ctx); err != nil {
		return 0, fmt.Errorf("seal webhooks: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, withPath(owner, searchpath.Path))
	if err != nil {
		return 0, fmt.Errorf("seal webhooks: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `ALTER TABLE webhooks NO FORCE ROW LEVEL SECURITY`); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT organisation_id, secret, previous_secret FROM webhooks ORDER BY organisation_id`)
		if err != nil {
			return err
		}
		hooks, err := pgx.CollectRows(rows, pgx.RowToStructByName[webhookSecrets])
		if err != nil {
			return err
		}
		for _, w := range hooks {
			renewed, err := w.reseal(ctx, tx, secrets)
			if err != nil {
				return err
			}
			if renewed {
				changed++
			}
		}
		_, err = tx.Exec(ctx, `ALTER TABLE webhooks FORCE ROW LEVEL SECURITY`)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("seal webhooks: %w", err)
	}
	return changed, nil
}

// webhookSecrets are the secrets of one webhook.
type webhookSecrets struct {
	OrganisationID tenant.ID
	Secret         job.SealedSecret
	PreviousSecret *job.SealedSecret
}

func (w webhookSecrets) reseal(ctx context.Context, tx pgx.Tx, secrets Resealer) (changed bool, err error) {
	if w.Secret, changed, err = secrets.Reseal(ctx, w.OrganisationID, w.Secret); err != nil {
		return false, err
	}
	if w.PreviousSecret != nil {
		previous, also, err := secrets.Reseal(ctx, w.OrganisationID, *w.PreviousSecret)
		if err != nil {
			return false, err
		}
		w.PreviousSecret, changed = &previous, changed || also
	}
	if changed {
		_, err = tx.Exec(ctx, `UPDATE webhooks SET secret = $2, previous_secret = $3 WHERE organisation_id = $1`, w.OrganisationID, w.Secret, w.PreviousSecret)
	}
	return changed, err
}
