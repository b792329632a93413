package purge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Quarantine forgets what was put aside in the drop folder.
type Quarantine interface {
	DeleteOldQuarantined(ctx context.Context, tx pgx.Tx, kept time.Duration) error
}

// quarantineRetention is as long as the bucket's lifecycle keeps what is in quarantine.
const quarantineRetention = 190 * 24 * time.Hour

// deleteQuarantined forgets files that the bucket has deleted.
func (r *run) deleteQuarantined(ctx context.Context) {
	err := r.bounded(ctx, func(tx pgx.Tx) error { return r.store.DeleteOldQuarantined(ctx, tx, quarantineRetention) })
	if err != nil {
		r.addError(ctx, err)
	}
}
