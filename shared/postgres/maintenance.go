package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// OpenJobs returns jobs of all organisations that have not ended and that
// nothing has happened to for a while, or that have a callback to send: those
// first, then those that were looked at longest ago. Jobs with a callback are
// returned at once, without the delay: a task that is completed twice does no harm.
// Only the database's clock counts.
func (db *DB) OpenJobs(ctx context.Context, tx pgx.Tx, idle time.Duration, limit int) ([]*job.Job, error) {
	return db.jobsWhere(ctx, tx, `
		WHERE status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') AND (callback_pending OR updated_at < now() - make_interval(secs => $1))
		ORDER BY callback_pending DESC, reconciled_at NULLS FIRST
		LIMIT $2`, idle.Seconds(), limit)
}

// StoppedJobs returns jobs that were ended from outside their execution within
// the last day and that reconcile has not looked at since.
func (db *DB) StoppedJobs(ctx context.Context, tx pgx.Tx, limit int) ([]*job.Job, error) {
	return db.jobsWhere(ctx, tx, `
		WHERE status IN ('CANCELLED', 'FAILED') AND completed_at > now() - interval '1 day'
		  AND (reconciled_at IS NULL OR reconciled_at < completed_at)
		ORDER BY completed_at
		LIMIT $1`, limit)
}

// JobsByID returns those of the jobs that are still there, as in lists.
func (db *DB) JobsByID(ctx context.Context, tx pgx.Tx, keys []job.Key) ([]*job.Job, error) {
	return db.jobsWhere(ctx, tx, `WHERE id = ANY ($1)`, keys)
}

func (db *DB) jobsWhere(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]*job.Job, error) {
	rows, err := tx.Query(ctx, `SELECT `+listedColumns+` FROM import_jobs `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("find jobs: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[jobRow])
	if err != nil {
		return nil, fmt.Errorf("find jobs: %w", err)
	}
	jobs := make([]*job.Job, len(found))
	for i := range found {
		jobs[i] = found[i].job()
	}
	return jobs, nil
}

// MarkReconciled notes that reconcile has looked at a job in that status. One that has
// left it meanwhile has not been looked at: it may have been cancelled by somebody who
// did not come to stop its execution.
func (db *DB) MarkReconciled(ctx context.Context, tx pgx.Tx, key job.Key, seen job.Status) error {
	if _, err := tx.Exec(ctx, `UPDATE import_jobs SET reconciled_at = now() WHERE id = $1 AND status = $2`, key, seen); err != nil {
		return fmt.Errorf("job %d is reconciled: %w", key, err)
	}
	return nil
}
