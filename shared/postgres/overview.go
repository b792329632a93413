package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/operations"
)

// Overview returns the state of the installation. Ended work is counted for a day.
func (db *DB) Overview(ctx context.Context, tx pgx.Tx, still time.Duration) (*operations.Overview, error) {
	o := &operations.Overview{}
	err := tx.QueryRow(ctx, `
		SELECT
			(SELECT count(*) FROM import_jobs WHERE `+openImport+` AND `+stuckImport+` <> ''),
			(SELECT count(*) FROM export_jobs WHERE `+stuckExport+`),
			(SELECT count(*) FROM person_erasures),
			(SELECT coalesce(sum((created_count + updated_count + unchanged_count + skipped_count + error_count)
				/ greatest(extract(epoch FROM now() - started_at)::float8, 1)), 0) FROM import_jobs WHERE status = 'PROCESSING' AND started_at IS NOT NULL),
			(SELECT coalesce(sum(created_count + updated_count + unchanged_count + skipped_count + error_count), 0)::bigint FROM import_jobs WHERE completed_at > now() - interval '1 day'),
			(SELECT coalesce(sum(error_count), 0)::bigint FROM import_jobs WHERE completed_at > now() - interval '1 day')`,
		still.Seconds(), operations.WaitLimit.Seconds(),
	).Scan(&o.StuckImports, &o.StuckExports, &o.OpenErasures, &o.RowsPerSecond, &o.Rows, &o.ErrorRows)
	if err != nil {
		return nil, fmt.Errorf("load overview: %w", err)
	}
	if o.Imports, err = collectRows[operations.StateCount](ctx, tx, `
		SELECT status, count(*), min(created_at) FROM import_jobs
		WHERE `+openImport+` OR completed_at > now() - interval '1 day'
		GROUP BY status ORDER BY status`); err != nil {
		return nil, err
	}
	if o.Exports, err = collectRows[operations.StateCount](ctx, tx, `
		SELECT status, count(*), min(created_at) FROM export_jobs
		WHERE status IN ('pending', 'processing') OR completed_at > now() - interval '1 day'
		GROUP BY status ORDER BY status`); err != nil {
		return nil, err
	}
	o.Failures, err = collectRows[operations.FailureCount](ctx, tx, `
		SELECT coalesce(failure_code, ''), count(*) FROM import_jobs
		WHERE status = 'FAILED' AND completed_at > now() - interval '1 day'
		GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20`)
	return o, err
}

// WaitingSince returns, for each queue, since when its oldest work has been waiting.
func (*DB) WaitingSince(ctx context.Context, tx pgx.Tx) (w operations.Waiting, err error) {
	err = tx.QueryRow(ctx, `
		SELECT
			(SELECT min(updated_at) FROM import_jobs WHERE status = 'PROCESSING' AND split_complete AND chunks_done < chunk_total),
			(SELECT min(touched_at) FROM export_jobs WHERE status = 'pending'),
			(SELECT min(s.touched_at) FROM import_sources AS s JOIN import_jobs AS j ON j.id = s.job_id AND j.status = 'UPLOADED' AND j.uploaded_at IS NULL),
			(SELECT min(queued_at) FROM webhook_deliveries WHERE status = 'PENDING' AND next_attempt_at <= now())`).
		Scan(&w.Rows, &w.Exports, &w.Fetches, &w.Webhooks)
	if err != nil {
		return w, fmt.Errorf("load queue waiting times: %w", err)
	}
	return w, nil
}

func collectRows[T any](ctx context.Context, tx pgx.Tx, sql string) ([]T, error) {
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, fmt.Errorf("load overview: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	if err != nil {
		return nil, fmt.Errorf("load overview: %w", err)
	}
	return found, nil
}
