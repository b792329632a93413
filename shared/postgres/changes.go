package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changeset"
	"github.com/loadbay/loadbay/shared/job"
)

// BeginCapture has the database capture what the rest of the transaction changes in
// entities: see migration 0040.
func (db *DB) BeginCapture(ctx context.Context, tx pgx.Tx) error {
	return db.beginCapture(ctx, tx, "changes")
}

// BeginPlan is BeginCapture with the values of entities that are created: whoever has the
// changes can make them.
func (db *DB) BeginPlan(ctx context.Context, tx pgx.Tx) error {
	return db.beginCapture(ctx, tx, "values")
}

func (*DB) beginCapture(ctx context.Context, tx pgx.Tx, mode string) error {
	if _, err := tx.Exec(ctx, `SELECT set_config('app.capture', $1, true), set_config('app.captured', '', true)`, mode); err != nil {
		return fmt.Errorf("begin to capture changes: %w", err)
	}
	return nil
}

// EndCapture returns what has been captured. The rest of the transaction is not.
func (db *DB) EndCapture(ctx context.Context, tx pgx.Tx) ([]changeset.Change, error) {
	var captured string
	batch := &pgx.Batch{}
	batch.Queue(`SELECT current_setting('app.captured')`).QueryRow(func(row pgx.Row) error { return row.Scan(&captured) })
	batch.Queue(`SELECT set_config('app.capture', '', true), set_config('app.captured', '', true)`)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("captured changes: %w", err)
	}
	return changeset.Captured(captured)
}

// AddChanges adds changes to a job's change set, after those that the chunk has.
func (db *DB) AddChanges(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error {
	return db.addChanges(ctx, tx, "import_changes", j, chunk, changes)
}

// addChanges is AddChanges for one of the tables that have change sets.
func (*DB) addChanges(ctx context.Context, tx pgx.Tx, table string, j *job.Job, chunk int, changes []changeset.Change) error {
	batch := &pgx.Batch{}
	for _, part := range changeset.Parts(changes) {
		data, err := changeset.Encode(part)
		if err != nil {
			return fmt.Errorf("changes of chunk %d of job %s: %w", chunk, j.ID, err)
		}
		n := changeset.Count(part)
		batch.Queue(`
			INSERT INTO `+table+` (job_id, organisation_id, chunk_index, part, created, updated, deleted, data)
			SELECT $1, $2, $3, coalesce(max(part) + 1, 0), $4, $5, $6, $7
			FROM `+table+`
			WHERE job_id = $1 AND chunk_index = $3`,
			j.Key, j.OrganisationID, chunk, n.Created, n.Updated, n.Deleted, data)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("add changes of chunk %d of job %s: %w", chunk, j.ID, err)
	}
	return nil
}

// ChangesAt is where a part of a change set is. The parts of a job are in that order.
type ChangesAt struct{ Chunk, Part int }

// NextChanges returns the part of a job's change set that follows another; ok is false
// after the last one. The first one follows {-1, 0}.
func (db *DB) NextChanges(ctx context.Context, tx pgx.Tx, key job.Key, after ChangesAt) (at ChangesAt, changes []changeset.Change, ok bool, err error) {
	return db.nextChanges(ctx, tx, "import_changes", key, after)
}

// nextChanges is NextChanges for one of the tables that have change sets.
func (*DB) nextChanges(ctx context.Context, tx pgx.Tx, table string, key job.Key, after ChangesAt) (at ChangesAt, changes []changeset.Change, ok bool, err error) {
	rows, err := tx.Query(ctx, `
		SELECT chunk_index, part, data
		FROM `+table+`
		WHERE job_id = $1 AND (chunk_index, part) > ($2, $3)
		ORDER BY chunk_index, part
		LIMIT 1`, key, after.Chunk, after.Part)
	if err != nil {
		return at, nil, false, fmt.Errorf("changes of job %d: %w", key, err)
	}
	var data []byte
	_, err = pgx.ForEachRow(rows, []any{&at.Chunk, &at.Part, &data}, func() error { return nil })
	if err != nil || data == nil {
		return at, nil, false, err
	}
	if changes, err = changeset.Decode(data); err != nil {
		return at, nil, false, fmt.Errorf("changes of chunk %d of job %d: %w", at.Chunk, key, err)
	}
	return at, changes, true, nil
}

// JobIDs returns the ids of those of the jobs that are still there.
func (db *DB) JobIDs(ctx context.Context, tx pgx.Tx, keys []job.Key) (map[job.Key]job.ID, error) {
	ids := make(map[job.Key]job.ID)
	if len(keys) == 0 {
		return ids, nil
	}
	rows, err := tx.Query(ctx, `SELECT id, uuid FROM import_jobs WHERE id = ANY ($1)`, keys)
	if err != nil {
		return nil, fmt.Errorf("ids of %d jobs: %w", len(keys), err)
	}
	var key job.Key
	var id job.ID
	if _, err = pgx.ForEachRow(rows, []any{&key, &id}, func() error { ids[key] = id; return nil }); err != nil {
		return nil, fmt.Errorf("ids of %d jobs: %w", len(keys), err)
	}
	return ids, nil
}
