package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// SetStatementTimeout limits the time of each further statement of the transaction. The
// server itself enforces it, even if a cancel request cannot reach it.
func (db *DB) SetStatementTimeout(ctx context.Context, tx pgx.Tx, limit time.Duration) error {
	return setTimeout(ctx, tx, "statement_timeout", limit)
}

// ExpiredJobs returns jobs of all organisations after the end of their retention, starting
// after that key. A job that another one retries is retained with it, and so are jobs that
// can be undone or are being undone. Only the database clock counts.
func (db *DB) ExpiredJobs(ctx context.Context, tx pgx.Tx, r job.Retention, after job.Key, limit int) ([]*job.Job, error) {
	types, seconds := retentionByType(r)
	return db.jobsWhere(ctx, tx, `
		WHERE id > $1
		  AND NOT EXISTS (SELECT FROM import_jobs AS retry WHERE retry.retry_of = import_jobs.uuid)
		  AND (`+pastRetention+` AND (undo_until IS NULL OR `+undoExpired+`)
		       OR status = ANY ($5) AND updated_at < now() - make_interval(secs => $6)
		       OR status = 'UPLOADED' AND uploaded_at IS NULL AND updated_at < now() - make_interval(secs => $8))
		ORDER BY id
		LIMIT $7`,
		after, types, seconds, r.Ended.Seconds(), statusTexts(job.WaitingStatuses()), r.Waiting.Seconds(), limit, r.Announced.Seconds())
}

// pastRetention is the condition of jobs that ended longer ago than their type's retention:
// $2 and $3 as returned by retentionByType, $4 seconds for the other types.
const pastRetention = `completed_at < now() - make_interval(secs => coalesce(
	(SELECT own.seconds FROM unnest($2::text[], $3::float8[]) AS own(kind, seconds) WHERE own.kind = import_type), $4))`

// undoExpired is the condition of jobs that can no longer be undone and are not being undone.
const undoExpired = `undo_until < now() AND NOT EXISTS (
	SELECT FROM import_undos JOIN import_jobs AS undo ON undo.id = import_undos.job_id WHERE import_undos.reverted = import_jobs.uuid AND undo.completed_at IS NULL)`

// retentionByType returns the types with their own retention, and its seconds.
func retentionByType(r job.Retention) (types []string, seconds []float64) {
	types, seconds = make([]string, 0, len(r.EndedByType)), make([]float64, 0, len(r.EndedByType))
	for name, kept := range r.EndedByType {
		types, seconds = append(types, name), append(seconds, kept.Seconds())
	}
	return types, seconds
}

// JobsWithExpiredFiles is ExpiredJobs for retained jobs with files that have expired or are
// marked for deletion. The file of a job is retained as long as that of its retries; if it is
// marked for deletion, until they have ended.
func (db *DB) JobsWithExpiredFiles(ctx context.Context, tx pgx.Tx, r job.Retention, after job.Key, limit int) ([]*job.Job, error) {
	types, seconds := retentionByType(r)
	return db.jobsWhere(ctx, tx, `
		WHERE id > $1 AND NOT files_purged AND (undo_until IS NOT NULL AND `+pastRetention+` OR files_due AND completed_at IS NOT NULL)
		  AND NOT EXISTS (SELECT FROM import_jobs AS retry WHERE retry.retry_of = import_jobs.uuid AND NOT retry.files_purged
		                  AND (retry.completed_at IS NULL OR NOT import_jobs.files_due))
		ORDER BY id
		LIMIT $5`, after, types, seconds, r.Ended.Seconds(), limit)
}

// JobsWithExpiredChanges is ExpiredJobs for jobs that can no longer be undone but are
// retained.
func (db *DB) JobsWithExpiredChanges(ctx context.Context, tx pgx.Tx, after job.Key, limit int) ([]*job.Job, error) {
	return db.jobsWhere(ctx, tx, `
		WHERE id > $1 AND undo_until IS NOT NULL AND NOT changes_purged AND `+undoExpired+`
		ORDER BY id
		LIMIT $2`, after, limit)
}

// MarkFilesPurged records that the job's files have been deleted.
func (db *DB) MarkFilesPurged(ctx context.Context, tx pgx.Tx, key job.Key) error {
	if _, err := tx.Exec(ctx, `UPDATE import_jobs SET files_purged = true WHERE id = $1`, key); err != nil {
		return fmt.Errorf("mark files of job %d as purged: %w", key, err)
	}
	return nil
}

// DeleteChanges deletes up to limit parts of a job's change set, and returns their number. If
// that is less than the limit, the change set is deleted completely, which is recorded.
func (db *DB) DeleteChanges(ctx context.Context, tx pgx.Tx, key job.Key, limit int) (int, error) {
	tag, err := tx.Exec(ctx, `
		DELETE FROM import_changes AS c
		USING (SELECT chunk_index, part FROM import_changes WHERE job_id = $1 LIMIT $2) AS d
		WHERE c.job_id = $1 AND c.chunk_index = d.chunk_index AND c.part = d.part`, key, limit)
	deleted := int(tag.RowsAffected())
	if err == nil && deleted < limit {
		_, err = tx.Exec(ctx, `UPDATE import_jobs SET changes_purged = true WHERE id = $1`, key)
	}
	if err != nil {
		return 0, fmt.Errorf("delete changes of job %d: %w", key, err)
	}
	return deleted, nil
}

// jobTable is a table with rows of jobs.
type jobTable struct {
	Name string   // as written in SQL
	Keys []string // quoted columns of its primary key that this role may read
}

// jobTables returns the tables with rows of jobs: those with a job_id that this role may
// delete from. Import types may have some of their own.
func (db *DB) jobTables(ctx context.Context, tx pgx.Tx) ([]jobTable, error) {
	rows, err := tx.Query(ctx, `
		SELECT c.oid::regclass::text, ARRAY(
			SELECT quote_ident(k.attname)
			FROM pg_index AS i
			JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey)
			WHERE i.indrelid = c.oid AND i.indisprimary AND has_column_privilege(c.oid, k.attnum, 'SELECT')
		)
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'job_id'
		WHERE c.relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND c.relkind IN ('r', 'p') AND has_table_privilege(c.oid, 'DELETE')
		ORDER BY 1`)
	if err != nil {
		return nil, fmt.Errorf("load tables of jobs: %w", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[jobTable])
	if err != nil {
		return nil, fmt.Errorf("load tables of jobs: %w", err)
	}
	return tables, nil
}

// deleteSQL returns the statement that deletes about $2 rows of job $1: all with the readable key
// columns of one of $2 rows. Columns of texts, such as addresses, are not readable.
func (t *jobTable) deleteSQL() string {
	columns, equal := []string{"job_id"}, []string{"e.job_id = $1"}
	for _, column := range t.Keys {
		if column != "job_id" {
			columns, equal = append(columns, column), append(equal, "e."+column+" = d."+column)
		}
	}
	return fmt.Sprintf(`
		DELETE FROM %[1]s AS e
		USING (SELECT %[2]s FROM %[1]s WHERE job_id = $1 LIMIT $2) AS d
		WHERE %[3]s`, t.Name, strings.Join(columns, ", "), strings.Join(equal, " AND "))
}

// DeleteJobRows deletes about limit rows that belong to a job, and returns their number. Less
// than the limit means that none are left.
func (db *DB) DeleteJobRows(ctx context.Context, tx pgx.Tx, key job.Key, limit int) (int, error) {
	tables, err := db.jobTables(ctx, tx)
	if err != nil {
		return 0, err
	}
	deleted := 0
	for i := range tables {
		tag, err := tx.Exec(ctx, tables[i].deleteSQL(), key, limit-deleted)
		if err != nil {
			return 0, fmt.Errorf("delete rows of %s of job %d: %w", tables[i].Name, key, err)
		}
		if deleted += int(tag.RowsAffected()); deleted >= limit {
			return deleted, nil
		}
	}
	return deleted, nil
}

// tombstoneRetention is how long the existence of a deleted job is remembered.
const tombstoneRetention = 90 * 24 * time.Hour

// DeleteJob deletes a job that has ended, and leaves a tombstone. It has no effect if the job
// does not exist.
func (db *DB) DeleteJob(ctx context.Context, tx pgx.Tx, key job.Key) error {
	_, err := tx.Exec(ctx, `
		WITH deleted AS (
			DELETE FROM import_jobs
			WHERE id = $1 AND status = ANY ($2)
			RETURNING uuid, organisation_id
		), forgotten AS (
			DELETE FROM purged_jobs
			WHERE purged_at < now() - make_interval(secs => $3)
		)
		INSERT INTO purged_jobs (uuid, organisation_id)
		SELECT uuid, organisation_id FROM deleted`, key, statusTexts(job.TerminalStatuses()), tombstoneRetention.Seconds())
	if err != nil {
		return fmt.Errorf("delete job %d: %w", key, err)
	}
	return nil
}

// WasDeleted reports whether the organisation had a job with that uuid which has been
// deleted, as long as its tombstone is retained.
func (db *DB) WasDeleted(ctx context.Context, tx pgx.Tx, id job.ID) (bool, error) {
	var purged bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM purged_jobs WHERE uuid = $1)`, id).Scan(&purged)
	if err != nil {
		return false, fmt.Errorf("check deletion of job %s: %w", id, err)
	}
	return purged, nil
}

// ExpiredExports returns exports of all organisations that ended longer ago than kept,
// starting after that uuid.
func (db *DB) ExpiredExports(ctx context.Context, tx pgx.Tx, kept time.Duration, after job.ExportID, limit int) ([]*job.Export, error) {
	rows, err := tx.Query(ctx, `
		SELECT `+exportColumns+`
		FROM export_jobs
		WHERE (completed_at < now() - make_interval(secs => $1) OR purge_due AND completed_at IS NOT NULL) AND uuid > $2
		ORDER BY uuid
		LIMIT $3`, kept.Seconds(), after, limit)
	if err != nil {
		return nil, fmt.Errorf("find expired exports: %w", err)
	}
	return collectExports(rows)
}

// DeleteExport deletes an export that has ended.
func (db *DB) DeleteExport(ctx context.Context, tx pgx.Tx, id job.ExportID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM export_jobs WHERE uuid = $1 AND completed_at IS NOT NULL`, id); err != nil {
		return fmt.Errorf("delete export %s: %w", id, err)
	}
	return nil
}
