package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
)

// planColumns are the columns of planRow.
const planColumns = `plan, purpose, approval, guards, plan_digest, on_stale, applied_at, applied_by`

// planRow contains the plan columns of import_jobs.
type planRow struct {
	IsPlan    bool `db:"plan"`
	Purpose   string
	Approval  *job.Approval
	Guards    []byte
	Digest    *string `db:"plan_digest"`
	OnStale   *job.StalePolicy
	AppliedAt *time.Time
	AppliedBy *string
}

// plan returns nil for a job that is not planned. Guards that cannot be parsed allow nothing.
func (r *planRow) plan() *job.Plan {
	if !r.IsPlan {
		return nil
	}
	p := &job.Plan{Requested: r.Purpose == "PLAN", AppliedAt: r.AppliedAt}
	if r.Guards != nil && json.Unmarshal(r.Guards, &p.Guards) != nil {
		p.Requested = true
	}
	for from, to := range map[*string]*string{r.Digest: &p.Digest, r.AppliedBy: &p.AppliedBy} {
		if from != nil {
			*to = *from
		}
	}
	if r.Approval != nil {
		p.Approval = *r.Approval
	}
	if r.OnStale != nil {
		p.OnStale = *r.OnStale
	}
	return p
}

// savePlan saves the plan settings of a new job.
func (*DB) savePlan(ctx context.Context, tx pgx.Tx, j *job.Job) error {
	if j.Plan == nil {
		return nil
	}
	guards, err := json.Marshal(j.Plan.Guards)
	if err != nil {
		return fmt.Errorf("encode guards of job %s: %w", j.ID, err)
	}
	_, err = tx.Exec(ctx, `
		UPDATE import_jobs
		SET plan = true, purpose = CASE WHEN $2 THEN 'PLAN' ELSE 'IMPORT' END, approval = nullif($3, ''), guards = $4
		WHERE uuid = $1 AND NOT plan AND status = 'UPLOADED'`, j.ID, j.Plan.Requested, string(j.Plan.Approval), guards)
	if err != nil {
		return fmt.Errorf("save plan of job %s: %w", j.ID, err)
	}
	return nil
}

// AddPlannedChanges appends changes to those of the chunk in a job's planned changes.
func (db *DB) AddPlannedChanges(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error {
	return db.addChanges(ctx, tx, changeset.Ref{Key: j.Key, Planned: true}, j, chunk, changes)
}

// PlannedChanges returns the planned changes of a chunk.
func (db *DB) PlannedChanges(ctx context.Context, tx pgx.Tx, key job.Key, chunk int) ([]changeset.Part, error) {
	rows, err := tx.Query(ctx, `SELECT data, created_at::text FROM import_plan_changes WHERE job_id = $1 AND chunk_index = $2 ORDER BY part`, key, chunk)
	if err != nil {
		return nil, fmt.Errorf("load planned changes of chunk %d of job %d: %w", chunk, key, err)
	}
	var all []changeset.Part
	var data []byte
	var part changeset.Part
	_, err = pgx.ForEachRow(rows, []any{&data, &part.At}, func() (err error) {
		part.Changes, err = changeset.Decode(data)
		all = append(all, part)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load planned changes of chunk %d of job %d: %w", chunk, key, err)
	}
	return all, nil
}

// PlannedColumns returns the number of entities that would get another value, by column.
func (db *DB) PlannedColumns(ctx context.Context, tx pgx.Tx, key job.Key) (map[string]int64, error) {
	counts := make(map[string]int64)
	return counts, db.EachTally(ctx, tx, changeset.Ref{Key: key, Planned: true}, func(_ changeset.Position, tally changeset.Tally) error {
		for _, table := range tally {
			for name, column := range table.Columns {
				counts[name] += column.Changed
			}
		}
		return nil
	})
}

// PlannedCounts returns the number of entities that the planned changes of a job would create,
// update and delete.
func (*DB) PlannedCounts(ctx context.Context, tx pgx.Tx, key job.Key) (c changeset.Counts, err error) {
	err = tx.QueryRow(ctx, `
		SELECT coalesce(sum(created), 0), coalesce(sum(updated), 0), coalesce(sum(deleted), 0)
		FROM import_plan_changes
		WHERE job_id = $1`, key).Scan(&c.Created, &c.Updated, &c.Deleted)
	if err != nil {
		return c, fmt.Errorf("count planned changes of job %d: %w", key, err)
	}
	return c, nil
}

// planDigest is the SHA-256 of the positions and SHA-256 hashes of the planned changes of job
// $1, in order.
const planDigest = `encode(sha256((
	SELECT coalesce(string_agg(int4send(chunk_index) || int4send(part) || sha256(data), ''::bytea ORDER BY chunk_index, part), ''::bytea)
	FROM import_plan_changes WHERE job_id = $1
)), 'hex')`

// SavePlanDigest saves the digest of a job's complete planned changes.
func (db *DB) SavePlanDigest(ctx context.Context, tx pgx.Tx, key job.Key) error {
	_, err := tx.Exec(ctx, `
		UPDATE import_jobs
		SET callback_pending = false, plan_digest = `+planDigest+`
		WHERE id = $1`, key)
	if err != nil {
		return fmt.Errorf("save plan digest of job %d: %w", key, err)
	}
	return nil
}

// BeginApply starts writing the planned changes of a job: the rows with changes become
// planned again, the chunks that contain or decide them not done, and their counts are reset.
// An undo computes all its changes again. The job becomes PROCESSING.
func (db *DB) BeginApply(ctx context.Context, tx pgx.Tx, j *job.Job, by string, onStale job.StalePolicy) error {
	if j.Undo != nil {
		if _, err := tx.Exec(ctx, `DELETE FROM import_row_results WHERE job_id = $1`, j.Key); err != nil {
			return fmt.Errorf("delete planned results of undo %d: %w", j.Key, err)
		}
	}
	tag, err := tx.Exec(ctx, `
		WITH reopened AS (
			UPDATE import_chunks AS c
			SET done = false, outcomes = decode(translate(encode(c.outcomes, 'escape'), 'CU', 'cu'), 'escape')
			WHERE c.job_id = $1 AND ($4 OR position('C'::bytea IN c.outcomes) > 0 OR position('U'::bytea IN c.outcomes) > 0 OR EXISTS (
				SELECT FROM `+lastRowOfChunk+` AS chunk
				JOIN import_repeated_rows AS r ON r.first_row BETWEEN c.first_row AND chunk.last_row
				WHERE r.job_id = $1 AND r.outcome IN (ascii('C'), ascii('U'))
			))
			RETURNING c.chunk_index
		)
		UPDATE import_jobs
		SET applied_at = now(), applied_by = nullif($2, ''), on_stale = $3, created_count = 0, updated_count = 0,
		    skipped_count = CASE WHEN $4 THEN 0 ELSE skipped_count END,
		    chunks_done = chunk_total - (SELECT count(*) FROM reopened), updated_at = now()
		WHERE id = $1 AND status = 'PROCESSING' AND plan AND applied_at IS NULL`, j.Key, by, onStale, j.Undo != nil)
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("not a plan to apply")
	}
	if err != nil {
		return fmt.Errorf("begin apply of job %d: %w", j.Key, err)
	}
	return nil
}
