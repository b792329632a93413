package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// Work in a queue or in progress is invisible for a while: after these times its message
// counts as lost. They double every time it is queued again, as it may only be waiting
// behind many others. An invocation that writes an export ends, or reports progress, within
// its 15 minutes.
const (
	exportBackoff  = `interval '5 minutes' * (1 << least(requeues, 6))`
	exportRunTime  = `interval '20 minutes'`
	fetchBackoff   = `interval '8 minutes' * (1 << least(requeues, 6))`
	erasureBackoff = `interval '5 minutes' * (1 << least(requeues, 6))`
	// After confirmation, and after a run that ended early, a deletion of an organisation is due at once:
	// touched_at is then set to an earlier time.
	deletionPause   = `interval '5 minutes'`
	deletionBackoff = deletionPause + ` * (1 << least(requeues, 6))`
)

// lostExport is the condition of exports with a lost message. Exports requested more than a
// day ago are not requeued.
const lostExport = `
	(status = 'pending' AND touched_at < now() - ` + exportBackoff + ` OR status = 'processing' AND touched_at < now() - ` + exportRunTime + `)`

// ClaimLostExports returns exports of all organisations to queue again, the longest waiting
// first. None is returned twice in a row.
func (db *DB) ClaimLostExports(ctx context.Context, tx pgx.Tx, limit int) ([]job.ExportRef, error) {
	rows, err := tx.Query(ctx, `
		UPDATE export_jobs
		SET touched_at = now(), requeues = requeues + 1
		WHERE id IN (
			SELECT id FROM export_jobs
			WHERE `+lostExport+` AND created_at >= now() - interval '1 day'
			ORDER BY touched_at
			LIMIT $1
			FOR UPDATE SKIP LOCKED
		)
		RETURNING uuid::text, organisation_id`, limit)
	return exportRefs(rows, err, "claim lost exports")
}

// EndLostExports fails exports of all organisations that have been lost for too long to be
// requeued, and returns them.
func (db *DB) EndLostExports(ctx context.Context, tx pgx.Tx, why job.Failure) ([]*job.Export, error) {
	rows, err := tx.Query(ctx, `
		UPDATE export_jobs
		SET status = 'failed', failure_code = $1, failure_message = $2, completed_at = now()
		WHERE `+lostExport+` AND created_at < now() - interval '1 day'
		RETURNING `+exportColumns, why.Code, why.Message)
	if err != nil {
		return nil, fmt.Errorf("end lost exports: %w", err)
	}
	return collectExports(rows)
}

func exportRefs(rows pgx.Rows, err error, what string) ([]job.ExportRef, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	refs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[job.ExportRef])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return refs, nil
}

// ClaimLostFetches returns jobs of all organisations that wait for the fetch of their file and
// have been inactive for so long that they have to be queued again. None is returned twice in
// a row.
func (db *DB) ClaimLostFetches(ctx context.Context, tx pgx.Tx, limit int) ([]*job.Job, error) {
	rows, err := tx.Query(ctx, `
		UPDATE import_sources
		SET touched_at = now(), requeues = requeues + 1
		WHERE job_id IN (
			SELECT s.job_id FROM import_sources AS s
			JOIN import_jobs AS j ON j.id = s.job_id AND j.status = 'UPLOADED' AND j.uploaded_at IS NULL
			WHERE s.touched_at < now() - `+fetchBackoff+`
			ORDER BY s.touched_at
			LIMIT $1
			FOR UPDATE OF s SKIP LOCKED
		)
		RETURNING job_id`, limit)
	if err != nil {
		return nil, fmt.Errorf("claim lost fetches: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[job.Key])
	if err != nil {
		return nil, fmt.Errorf("claim lost fetches: %w", err)
	}
	return db.jobsWhere(ctx, tx, `WHERE id = ANY ($1)`, keys)
}

// ClaimLostErasures returns erasures of all organisations that have been inactive for a while,
// the longest waiting first. None is returned twice in a row.
func (db *DB) ClaimLostErasures(ctx context.Context, tx pgx.Tx, limit int) ([]job.ErasureRef, error) {
	rows, err := tx.Query(ctx, `
		UPDATE person_erasures
		SET touched_at = now(), requeues = requeues + 1
		WHERE (organisation_id, person_id) IN (
			SELECT organisation_id, person_id FROM person_erasures
			WHERE touched_at < now() - `+erasureBackoff+`
			ORDER BY touched_at
			LIMIT $1
			FOR UPDATE SKIP LOCKED
		)
		RETURNING organisation_id, person_id`, limit)
	if err != nil {
		return nil, fmt.Errorf("claim lost erasures: %w", err)
	}
	refs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[job.ErasureRef])
	if err != nil {
		return nil, fmt.Errorf("claim lost erasures: %w", err)
	}
	return refs, nil
}
