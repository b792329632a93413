package postgres

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
)

// BeginCapture makes the database capture the entity changes of the rest of the transaction:
// see migration 0040.
func (db *DB) BeginCapture(ctx context.Context, tx pgx.Tx) error {
	return db.beginCapture(ctx, tx, "changes")
}

// BeginPlanCapture is BeginCapture including the values of created entities, so that the
// changes can be applied later.
func (db *DB) BeginPlanCapture(ctx context.Context, tx pgx.Tx) error {
	return db.beginCapture(ctx, tx, "values")
}

func (*DB) beginCapture(ctx context.Context, tx pgx.Tx, mode string) error {
	if _, err := tx.Exec(ctx, `SELECT set_config('app.capture', $1, true), set_config('app.captured', '', true)`, mode); err != nil {
		return fmt.Errorf("begin capture: %w", err)
	}
	return nil
}

// EndCapture returns the captured changes and stops capturing.
func (db *DB) EndCapture(ctx context.Context, tx pgx.Tx) ([]changeset.Change, error) {
	var captured string
	batch := &pgx.Batch{}
	batch.Queue(`SELECT current_setting('app.captured')`).QueryRow(func(row pgx.Row) error { return row.Scan(&captured) })
	batch.Queue(`SELECT set_config('app.capture', '', true), set_config('app.captured', '', true)`)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("end capture: %w", err)
	}
	return changeset.ParseCaptured(captured)
}

// AddChanges appends changes to those of the chunk in a job's change set.
func (db *DB) AddChanges(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error {
	return db.addChanges(ctx, tx, changeset.Ref{Key: j.Key}, j, chunk, changes)
}

func (db *DB) addChanges(ctx context.Context, tx pgx.Tx, set changeset.Ref, j *job.Job, chunk int, changes []changeset.Change) error {
	batch := &pgx.Batch{}
	for _, part := range changeset.Split(changes) {
		data, err := db.changes.Encode(part)
		if err != nil {
			return fmt.Errorf("encode changes of chunk %d of job %s: %w", chunk, j.ID, err)
		}
		n := changeset.Count(part)
		first, last := changeset.RowRange(part)
		batch.Queue(`
			INSERT INTO `+changesTable(set)+` (job_id, organisation_id, chunk_index, part, created, updated, deleted, data, first_row, last_row, tally)
			SELECT $1, $2, $3, coalesce(max(part) + 1, 0), $4, $5, $6, $7, $8, $9, $10
			FROM `+changesTable(set)+`
			WHERE job_id = $1 AND chunk_index = $3`,
			j.Key, j.OrganisationID, chunk, n.Created, n.Updated, n.Deleted, data, first, last, changeset.NewTally(part))
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("add changes of chunk %d of job %s: %w", chunk, j.ID, err)
	}
	return nil
}

func changesTable(set changeset.Ref) string {
	if set.Planned {
		return "import_plan_changes"
	}
	return "import_changes"
}

// NextChanges returns the part of a change set after a position; ok is false after the
// last one. The first part follows {-1, 0}.
func (db *DB) NextChanges(ctx context.Context, tx pgx.Tx, set changeset.Ref, after changeset.Position) (at changeset.Position, changes []changeset.Change, ok bool, err error) {
	part, ok, err := db.firstChangesPart(ctx, tx, set, `(chunk_index, part) > ($2, $3) ORDER BY chunk_index, part`, after.Chunk, after.Part)
	return part.At, part.Changes, ok, err
}

// Changes returns a part of a change set; none if the part does not exist.
func (db *DB) Changes(ctx context.Context, tx pgx.Tx, set changeset.Ref, at changeset.Position) ([]changeset.Change, error) {
	part, _, err := db.firstChangesPart(ctx, tx, set, `(chunk_index, part) = ($2, $3)`, at.Chunk, at.Part)
	return part.Changes, err
}

// RowChanges returns the last part of a job's changes before a position that may contain
// changes of the row; ok is false if there is none. The last part precedes {MaxInt32, 0}.
func (db *DB) RowChanges(ctx context.Context, tx pgx.Tx, key job.Key, row int64, before changeset.Position) (part changeset.StoredPart, ok bool, err error) {
	return db.firstChangesPart(ctx, tx, changeset.Ref{Key: key}, `$2 BETWEEN first_row AND last_row AND (chunk_index, part) < ($3, $4) ORDER BY chunk_index DESC, part DESC`,
		row, before.Chunk, before.Part)
}

// maxJobsSearched limits the imports in which the changes of an entity are searched.
const maxJobsSearched = 1_000

// DeclaredChanges calls f with the parts of actual change sets of a declared table, the newest first,
// until f returns false or there are limit of them. It returns the number of calls.
func (*DB) DeclaredChanges(ctx context.Context, tx pgx.Tx, table string, limit int, f func(job.Key, changeset.StoredPart) bool) (n int, err error) {
	const page = 20
	for before := int64(math.MaxInt64); n < limit; {
		rows, err := tx.Query(ctx, `
			SELECT job_id, chunk_index, part, created_at, place, data
			FROM import_changes
			WHERE organisation_id = current_organisation() AND tally ? $2 AND place < $3
				AND job_id = ANY (ARRAY(
					SELECT id FROM import_jobs
					WHERE organisation_id = current_organisation() AND type_version IS NOT NULL ORDER BY id DESC LIMIT $1))
			ORDER BY place DESC
			LIMIT $4`, maxJobsSearched, table, before, min(page, limit-n))
		if err != nil {
			return n, fmt.Errorf("search changes of %s: %w", table, err)
		}
		var key job.Key
		var part changeset.StoredPart
		var data []byte
		found, more := 0, true
		_, err = pgx.ForEachRow(rows, []any{&key, &part.At.Chunk, &part.At.Part, &part.Written, &before, &data}, func() (err error) {
			found++
			if !more {
				return nil
			}
			if part.Changes, err = changeset.Decode(data); err != nil {
				return fmt.Errorf("chunk %d of job %d: %w", part.At.Chunk, key, err)
			}
			n++
			more = f(key, part)
			return nil
		})
		if err != nil {
			return n, fmt.Errorf("search changes of %s: %w", table, err)
		}
		if !more || found < page {
			return n, nil
		}
	}
	return n, nil
}

// LostDeclaredChanges reports whether changes of imports of a declared type are no longer stored.
func (*DB) LostDeclaredChanges(ctx context.Context, tx pgx.Tx, importType string) (lost bool, err error) {
	err = tx.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT FROM import_jobs AS j
			WHERE j.organisation_id = current_organisation() AND j.import_type = $1 AND NOT j.dry_run AND (NOT j.plan OR j.applied_at IS NOT NULL) AND j.created_count + j.updated_count > 0
			AND NOT EXISTS (SELECT FROM import_changes AS c WHERE c.organisation_id = j.organisation_id AND c.job_id = j.id))`, importType).Scan(&lost)
	if err != nil {
		return false, fmt.Errorf("look for deleted changes: %w", err)
	}
	return lost, nil
}

// firstChangesPart returns the first part of a change set that matches the condition.
func (*DB) firstChangesPart(ctx context.Context, tx pgx.Tx, set changeset.Ref, where string, args ...any) (part changeset.StoredPart, ok bool, err error) {
	rows, err := tx.Query(ctx, `
		SELECT chunk_index, part, created_at, data
		FROM `+changesTable(set)+`
		WHERE job_id = $1 AND `+where+`
		LIMIT 1`, append([]any{set.Key}, args...)...)
	if err != nil {
		return part, false, fmt.Errorf("load changes of job %d: %w", set.Key, err)
	}
	var data []byte
	_, err = pgx.ForEachRow(rows, []any{&part.At.Chunk, &part.At.Part, &part.Written, &data}, func() error { return nil })
	if err != nil || data == nil {
		return part, false, err
	}
	if part.Changes, err = changeset.Decode(data); err != nil {
		return part, false, fmt.Errorf("load changes of chunk %d of job %d: %w", part.At.Chunk, set.Key, err)
	}
	return part, true, nil
}

// EachTally calls f with the counts of each part of a change set, in order.
func (*DB) EachTally(ctx context.Context, tx pgx.Tx, set changeset.Ref, f func(changeset.Position, changeset.Tally) error) error {
	rows, err := tx.Query(ctx, `SELECT chunk_index, part, tally FROM `+changesTable(set)+` WHERE job_id = $1 ORDER BY chunk_index, part`, set.Key)
	if err != nil {
		return fmt.Errorf("load change counts of job %d: %w", set.Key, err)
	}
	var at changeset.Position
	var tally changeset.Tally
	if _, err = pgx.ForEachRow(rows, []any{&at.Chunk, &at.Part, &tally}, func() error {
		defer func() { tally = nil }()
		return f(at, tally)
	}); err != nil {
		return fmt.Errorf("load change counts of job %d: %w", set.Key, err)
	}
	return nil
}

// ExistingJobIDs returns the ids of the jobs that still exist.
func (db *DB) ExistingJobIDs(ctx context.Context, tx pgx.Tx, keys []job.Key) (map[job.Key]job.ID, error) {
	ids := make(map[job.Key]job.ID)
	if len(keys) == 0 {
		return ids, nil
	}
	rows, err := tx.Query(ctx, `SELECT id, uuid FROM import_jobs WHERE id = ANY ($1)`, keys)
	if err != nil {
		return nil, fmt.Errorf("look up IDs of %d jobs: %w", len(keys), err)
	}
	var key job.Key
	var id job.ID
	if _, err = pgx.ForEachRow(rows, []any{&key, &id}, func() error { ids[key] = id; return nil }); err != nil {
		return nil, fmt.Errorf("look up IDs of %d jobs: %w", len(keys), err)
	}
	return ids, nil
}
