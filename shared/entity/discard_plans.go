package entity

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// discardPlans makes Postgres discard the cached plans of the session, so that foreign-key
// checks get plans that fit the current size of the tables (docs/decisions/0012).
func discardPlans(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "SELECT forget_plans()"); err != nil {
		return fmt.Errorf("forget plans: %w", err)
	}
	return nil
}
