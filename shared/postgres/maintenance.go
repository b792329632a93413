package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// OpenJobs returns jobs of all organisations that have not ended and that
// nothing has happened to for a while, longest first. Only the database's clock
// decides how long that is.
func (db *DB) OpenJobs(ctx context.Context, tx pgx.Tx, idle time.Duration, limit int) ([]*job.Job, error) {
	rows, err := tx.Query(ctx, `
		SELECT `+jobColumns+`
		FROM import_jobs
		WHERE status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') AND updated_at < now() - make_interval(secs => $1)
		ORDER BY updated_at
		LIMIT $2`, idle.Seconds(), limit)
	if err != nil {
		return nil, fmt.Errorf("open jobs: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[jobRow])
	if err != nil {
		return nil, fmt.Errorf("open jobs: %w", err)
	}
	jobs := make([]*job.Job, len(found))
	for i := range found {
		jobs[i] = found[i].job()
	}
	return jobs, nil
}

// Touch makes a job the last that reconcile looks at next time.
func (db *DB) Touch(ctx context.Context, tx pgx.Tx, jobID int64) error {
	if _, err := tx.Exec(ctx, `UPDATE import_jobs SET updated_at = now() WHERE id = $1`, jobID); err != nil {
		return fmt.Errorf("touch job %d: %w", jobID, err)
	}
	return nil
}
