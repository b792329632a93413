package purge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Quarantine deletes records of quarantined files.
type Quarantine interface {
	DeleteOldQuarantined(ctx context.Context, tx pgx.Tx, kept time.Duration) error
}

// quarantineRetention is the retention of quarantined files in the bucket's lifecycle rule.
const quarantineRetention = 190 * 24 * time.Hour

// deleteQuarantined deletes the records of files that the bucket has deleted.
func (r *run) deleteQuarantined(ctx context.Context) {
	err := r.bounded(ctx, func(tx pgx.Tx) error { return r.store.DeleteOldQuarantined(ctx, tx, quarantineRetention) })
	if err != nil {
		r.addError(ctx, err)
	}
}
