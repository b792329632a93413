package entity

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// discardPlans makes Postgres plan anew what the session has planned before, so that
// foreign keys are checked by plans for tables of the size that they have now
// (docs/decisions/0012).
func discardPlans(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "SELECT forget_plans()"); err != nil {
		return fmt.Errorf("forget plans: %w", err)
	}
	return nil
}
