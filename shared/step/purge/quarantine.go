package purge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Quarantine forgets what was put aside in the drop folder.
type Quarantine interface {
	ForgetOldQuarantined(ctx context.Context, tx pgx.Tx, kept time.Duration) error
}

// quarantineKept is as long as the bucket's lifecycle keeps what is in quarantine.
const quarantineKept = 190 * 24 * time.Hour

// forgetQuarantined forgets files that the bucket has deleted.
func (r *run) forgetQuarantined(ctx context.Context) {
	err := r.bounded(ctx, func(tx pgx.Tx) error { return r.store.ForgetOldQuarantined(ctx, tx, quarantineKept) })
	if err != nil {
		r.fault(ctx, err)
	}
}
