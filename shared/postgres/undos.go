package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// BeginUndo turns a job that was just created into the undo of another job.
func (db *DB) BeginUndo(ctx context.Context, tx pgx.Tx, j *job.Job, u job.Undo) error {
	_, err := tx.Exec(ctx, `
		UPDATE import_jobs
		SET purpose = 'UNDO', undo_of = $2, undo_mode = $3, total_rows = $4, updated_at = now()
		WHERE id = $1`, j.Key, u.Of, u.Mode, j.Progress.TotalRows)
	if err == nil && len(u.Retries) > 0 {
		retries, changes := make([]job.ID, len(u.Retries)), make([]int64, len(u.Retries))
		for i, r := range u.Retries {
			retries[i], changes[i] = r.ID, r.Changes
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO import_undo_retries (job_id, organisation_id, retry, changes)
			SELECT $1, $2, r.* FROM unnest($3::uuid[], $4::bigint[]) AS r`, j.Key, j.OrganisationID, retries, changes)
	}
	if err != nil {
		return fmt.Errorf("begin undo %s: %w", j.ID, err)
	}
	return nil
}

// retriesOf selects the retries of the job $1, and the retries of these.
const retriesOf = `
	WITH RECURSIVE retries AS (
		SELECT id, uuid FROM import_jobs WHERE retry_of = $1
		UNION ALL
		SELECT j.id, j.uuid FROM retries JOIN import_jobs AS j ON j.retry_of = retries.uuid
	)`

// LockRetries locks the retries of a job, and the retries of these, as LockJob does.
func (db *DB) LockRetries(ctx context.Context, tx pgx.Tx, of job.ID) error {
	_, err := tx.Exec(ctx, retriesOf+`
		SELECT FROM import_jobs WHERE id IN (SELECT id FROM retries) ORDER BY id FOR NO KEY UPDATE`, of)
	if err != nil {
		return fmt.Errorf("lock retries of job %s: %w", of, err)
	}
	return nil
}

// Retries returns the latest retries of a job, and the retries of these, newest first. They include
// files that retry the import, and leave out those that can no longer be undone.
func (db *DB) Retries(ctx context.Context, tx pgx.Tx, of job.ID, limit int) ([]*job.Job, error) {
	return db.jobsWhere(ctx, tx, `
		WHERE id IN (`+retriesOf+` SELECT id FROM retries) AND (completed_at IS NULL OR undo_until > now() AND NOT changes_purged)
		ORDER BY id DESC
		LIMIT $2`, of, limit)
}

// Undos returns the latest undos of a job, newest first, including those that revert it as a retry of
// another one.
func (db *DB) Undos(ctx context.Context, tx pgx.Tx, of job.ID, limit int) ([]*job.Job, error) {
	return db.jobsWhere(ctx, tx, `WHERE id IN (SELECT job_id FROM import_undos WHERE reverted = $1) ORDER BY id DESC LIMIT $2`, of, limit)
}

// ChangesNewestFirst returns the parts of the change sets of jobs, newest first.
func (*DB) ChangesNewestFirst(ctx context.Context, tx pgx.Tx, keys ...job.Key) ([]changeset.PartInfo, error) {
	return changesParts(ctx, tx, `WHERE c.job_id = ANY ($1) ORDER BY c.place DESC`, keys)
}

// ChangesSince returns at most limit parts of the organisation's change sets from a place on,
// newest first. It skips dry runs, which have changed nothing.
func (*DB) ChangesSince(ctx context.Context, tx pgx.Tx, place int64, limit int) ([]changeset.PartInfo, error) {
	return changesParts(ctx, tx, `
		JOIN import_jobs AS j ON j.id = c.job_id
		WHERE c.place >= $1 AND NOT j.dry_run
		ORDER BY c.place DESC
		LIMIT $2`, place, limit)
}

// ChangesOfTableSince is ChangesSince for the parts with changes of a table.
func (*DB) ChangesOfTableSince(ctx context.Context, tx pgx.Tx, table string, place int64, limit int) ([]changeset.PartInfo, error) {
	return changesParts(ctx, tx, `
		JOIN import_jobs AS j ON j.id = c.job_id
		WHERE c.place >= $1 AND NOT j.dry_run AND c.tally ? $3
		ORDER BY c.place DESC
		LIMIT $2`, place, limit, table)
}

func changesParts(ctx context.Context, tx pgx.Tx, which string, args ...any) ([]changeset.PartInfo, error) {
	rows, err := tx.Query(ctx, `
		SELECT c.place, c.job_id, c.created + c.updated + c.deleted, octet_length(c.data)
		FROM import_changes AS c `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("load parts of change sets: %w", err)
	}
	parts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[changeset.PartInfo])
	if err != nil {
		return nil, fmt.Errorf("load parts of change sets: %w", err)
	}
	return parts, nil
}

// ChangesAtPlace returns the changes of one part of a change set, or UNDO_EXPIRED if it was
// deleted.
func (*DB) ChangesAtPlace(ctx context.Context, tx pgx.Tx, place int64) ([]changeset.Change, error) {
	var data []byte
	err := tx.QueryRow(ctx, `SELECT (SELECT data FROM import_changes WHERE place = $1)`, place).Scan(&data)
	if err != nil {
		return nil, fmt.Errorf("load changes at %d: %w", place, err)
	}
	if data == nil {
		return nil, problem.New(problem.UndoExpired, "The changes of the import are no longer stored.")
	}
	changes, err := changeset.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("load changes at %d: %w", place, err)
	}
	return changes, nil
}

// AddKept records values that an undo did not revert.
func (*DB) AddKept(ctx context.Context, tx pgx.Tx, j *job.Job, kept []undo.KeptValue) error {
	n := len(kept)
	if n == 0 {
		return nil
	}
	tables, entities, columns := make([]string, n), make([]string, n), make([]string, n)
	given, instead, since := make([]*string, n), make([]*string, n), make([]int64, n)
	for i, k := range kept {
		tables[i], entities[i], columns[i], given[i], instead[i], since[i] = k.Table, k.Entity, k.Column, k.Value, k.Before, k.Since
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO kept_changes (organisation_id, job_id, entity_table, entity_id, column_name, given, instead, since)
		SELECT $1, $2, v.*
		FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[]) AS v`,
		j.OrganisationID, j.Key, tables, entities, columns, given, instead, since)
	if err != nil {
		return fmt.Errorf("save %d kept values: %w", n, err)
	}
	return nil
}

// Kept returns the recorded values of entities for changes before a place, by entity.
func (*DB) Kept(ctx context.Context, tx pgx.Tx, table string, ids []string, place int64) (map[string]undo.KeptValues, error) {
	kept, err := keptWhere(ctx, tx, `WHERE entity_table = $1 AND entity_id = ANY ($2) AND since < $3`, table, ids, place)
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	found := make(map[string]undo.KeptValues)
	for _, k := range kept {
		found[k.Entity] = append(found[k.Entity], k)
	}
	return found, nil
}

// KeptByID returns recorded values by their ids.
func (*DB) KeptByID(ctx context.Context, tx pgx.Tx, ids []int64) ([]undo.KeptValue, error) {
	return keptWhere(ctx, tx, `WHERE id = ANY ($1)`, ids)
}

func keptWhere(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]undo.KeptValue, error) {
	rows, err := tx.Query(ctx, `
		SELECT id, entity_table, entity_id, column_name, given, instead, applied, since
		FROM kept_changes `+where+`
		ORDER BY id`, args...)
	if err != nil {
		return nil, fmt.Errorf("load kept values: %w", err)
	}
	kept, err := pgx.CollectRows(rows, pgx.RowToStructByPos[undo.KeptValue])
	if err != nil {
		return nil, fmt.Errorf("load kept values: %w", err)
	}
	return kept, nil
}

// MarkKeptApplied records that an undo has reverted to these recorded values.
func (*DB) MarkKeptApplied(ctx context.Context, tx pgx.Tx, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, `UPDATE kept_changes SET applied = true WHERE id = ANY ($1) AND NOT applied`, ids); err != nil {
		return fmt.Errorf("apply %d kept values: %w", len(ids), err)
	}
	return nil
}
