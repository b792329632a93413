package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// NextDue returns when reconcile has to run again if nothing is committed until then, or zero
// if nothing is open. Work in progress is checked constantly, to detect stuck work. Jobs that
// wait for a person or a file are checked at intervals that double each time: the actions of
// people are committed, so they trigger a run anyway.
func (*DB) NextDue(ctx context.Context, tx pgx.Tx) (time.Time, error) {
	var next *time.Time
	err := tx.QueryRow(ctx, `
		SELECT least(
			(SELECT min(now() + CASE WHEN status <> 'PROCESSING' THEN greatest(now() - updated_at, interval '1 minute') ELSE interval '0' END)
			 FROM import_jobs WHERE status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')),
			(SELECT now() FROM import_jobs
			 WHERE status IN ('CANCELLED', 'FAILED') AND completed_at > now() - interval '1 day'
			   AND (reconciled_at IS NULL OR reconciled_at < completed_at) LIMIT 1),
			(SELECT min(touched_at + CASE status WHEN 'pending' THEN `+exportBackoff+` ELSE `+exportRunTime+` END)
			 FROM export_jobs WHERE status IN ('pending', 'processing')),
			(SELECT min(s.touched_at + `+fetchBackoff+`)
			 FROM import_sources AS s JOIN import_jobs AS j ON j.id = s.job_id AND j.status = 'UPLOADED' AND j.uploaded_at IS NULL),
			(SELECT min(touched_at + `+erasureBackoff+`) FROM person_erasures),
			(SELECT min(touched_at + `+deletionBackoff+`) FROM organisation_deletions WHERE confirmed_at IS NOT NULL AND completed_at IS NULL),
			(SELECT now() FROM job_events WHERE sent_at IS NULL LIMIT 1),
			(SELECT min(greatest(next_attempt_at, queued_at + interval '15 minutes')) FROM webhook_deliveries WHERE status = 'PENDING'))`).Scan(&next)
	if err != nil {
		return time.Time{}, fmt.Errorf("look up next due time: %w", err)
	}
	if next == nil {
		return time.Time{}, nil
	}
	return *next, nil
}
