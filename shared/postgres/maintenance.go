package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// OpenJobs returns jobs of all organisations that have not ended and have been idle for a
// while, or that have a pending callback: those first, then those that were reconciled
// longest ago. Jobs with a callback are returned without the delay: completing a task twice
// is harmless. Only the database clock counts.
func (db *DB) OpenJobs(ctx context.Context, tx pgx.Tx, idle time.Duration, limit int) ([]*job.Job, error) {
	return db.jobsWhere(ctx, tx, `
		WHERE status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') AND (callback_pending OR updated_at < now() - make_interval(secs => $1))
		ORDER BY callback_pending DESC, reconciled_at NULLS FIRST
		LIMIT $2`, idle.Seconds(), limit)
}

// StoppedJobs returns jobs that were ended from outside their execution within
// the last day and that have not been reconciled since.
func (db *DB) StoppedJobs(ctx context.Context, tx pgx.Tx, limit int) ([]*job.Job, error) {
	return db.jobsWhere(ctx, tx, `
		WHERE status IN ('CANCELLED', 'FAILED') AND completed_at > now() - interval '1 day'
		  AND (reconciled_at IS NULL OR reconciled_at < completed_at)
		ORDER BY completed_at
		LIMIT $1`, limit)
}

// JobsByID returns the jobs that still exist, as in lists.
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

// MarkReconciled records that reconcile has processed a job in that status. It has no effect
// if the status has changed meanwhile: the job may have been cancelled by a process that
// failed before it stopped the execution.
func (db *DB) MarkReconciled(ctx context.Context, tx pgx.Tx, key job.Key, seen job.Status) error {
	if _, err := tx.Exec(ctx, `UPDATE import_jobs SET reconciled_at = now() WHERE id = $1 AND status = $2`, key, seen); err != nil {
		return fmt.Errorf("mark job %d as reconciled: %w", key, err)
	}
	return nil
}
