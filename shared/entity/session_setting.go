package entity

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// SessionSetting is a setting of the session, which a transaction about a table of others needs.
type SessionSetting struct {
	Name, Value string
	// Organisation makes the organisation's id the value.
	Organisation bool
}

// SetSession makes settings until the transaction ends, so that a pooled connection keeps none of them.
func SetSession(ctx context.Context, tx pgx.Tx, settings []SessionSetting) error {
	if len(settings) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	QueueSession(batch, settings)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("make settings of the transaction: %w", err)
	}
	return nil
}

// QueueSession adds the statements of SetSession to a batch.
func QueueSession(batch *pgx.Batch, settings []SessionSetting) {
	for _, s := range settings {
		if s.Organisation {
			batch.Queue("SELECT set_config($1, current_organisation()::text, true)", s.Name)
		} else {
			batch.Queue("SELECT set_config($1, $2, true)", s.Name, s.Value)
		}
	}
}
