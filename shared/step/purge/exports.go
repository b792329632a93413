package purge

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Exports finds and deletes exports of all organisations.
type Exports interface {
	ExpiredExports(ctx context.Context, tx pgx.Tx, kept time.Duration, after job.ExportID, limit int) ([]*job.Export, error)
	DeleteExport(ctx context.Context, tx pgx.Tx, id job.ExportID) error
}

// purgeExports deletes exports after the same retention as imports: the file first, so that no
// file remains without its export.
func (r *run) purgeExports(ctx context.Context) {
	for after := job.ExportID(uuid.Nil.String()); !r.timeUp; {
		var exports []*job.Export
		err := r.bounded(ctx, func(tx pgx.Tx) (err error) {
			exports, err = r.store.ExpiredExports(ctx, tx, r.config.Ended, after, r.config.Jobs)
			return err
		})
		if err != nil {
			r.failures = append(r.failures, err)
			return
		}
		if len(exports) == 0 {
			return
		}
		for _, e := range exports {
			after = e.ID
			if r.timeUp = r.outOfTime(ctx); r.timeUp {
				return
			}
			if err := r.deleteExport(ctx, e); err != nil {
				ctx := telemetry.With(ctx, "export_id", e.ID, "organisation_id", e.OrganisationID)
				r.addError(ctx, fmt.Errorf("export %s: %w", e.ID, err))
			}
		}
	}
}

func (r *run) deleteExport(ctx context.Context, e *job.Export) error {
	if err := r.files.Delete(ctx, e.ObjectKey); err != nil {
		return err
	}
	r.objects++
	err := r.bounded(ctx, func(tx pgx.Tx) error { return r.store.DeleteExport(ctx, tx, e.ID) })
	if err == nil {
		r.exports++
	}
	return err
}
