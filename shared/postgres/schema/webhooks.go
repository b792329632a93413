package schema

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Resealer seals secrets anew.
type Resealer interface {
	// Ready is asked before the table is locked, and also where there is nothing to seal:
	// a deployment fails, rather than the first webhook.
	HasKeys(ctx context.Context) error
	// Renew reports with changed whether the secret needed it.
	Reseal(ctx context.Context, organisation tenant.ID, sealed job.SealedSecret) (renewed job.SealedSecret, changed bool, err error)
}

// SealWebhooks seals the secrets of webhooks that are not sealed, or with a key that is
// to be given up, and returns how many webhooks it has changed. It connects as the owner,
// whom FORCE binds to row level security as well: the transaction leaves it out, and no
// other may use the table meanwhile.
func SealWebhooks(ctx context.Context, owner *pgx.ConnConfig, secrets Resealer) (changed int, err error) {
	if err := secrets.HasKeys(ctx); err != nil {
		return 0, fmt.Errorf("seal webhooks: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, owner)
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
