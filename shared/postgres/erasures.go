package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
)

// Erasure is a person who is being erased, and how far that has come.
type Erasure struct {
	Person   int64
	Traces   *Traces
	Position ErasurePosition
	Changes  int64 // that were removed from change sets by now
	Began    time.Time
}

// ErasurePosition is what is looked at next: change sets first, and then what else there is
// of each import. Its zero value is the beginning.
type ErasurePosition struct {
	Known   int // entities that were known when the change sets were begun
	Planned bool
	Values  bool // the change sets are done
	Job     job.Key
	At      ChangesPosition
}

// BeginErasure returns a person's erasure, and begins it where it has not: nobody else goes
// on with it until the transaction ends.
func (db *DB) BeginErasure(ctx context.Context, tx pgx.Tx, person int64) (*Erasure, error) {
	_, err := tx.Exec(ctx, `
		INSERT INTO person_erasures (organisation_id, person_id, traces, place)
		VALUES (current_organisation(), $1, '{"entities": [], "rows": [], "values": []}', '{}')
		ON CONFLICT DO NOTHING`, person)
	if err != nil {
		return nil, fmt.Errorf("begin to erase a person: %w", err)
	}
	return lockErasure(ctx, tx, person)
}

// ResumeErasure returns a person's erasure as BeginErasure does, if it has begun and not
// ended.
func (db *DB) ResumeErasure(ctx context.Context, tx pgx.Tx, person int64) (*Erasure, error) {
	return lockErasure(ctx, tx, person)
}

func lockErasure(ctx context.Context, tx pgx.Tx, person int64) (*Erasure, error) {
	e := &Erasure{Person: person}
	err := tx.QueryRow(ctx, `SELECT traces, place, changes, began_at FROM person_erasures WHERE person_id = $1 FOR UPDATE`, person).
		Scan(&e.Traces, &e.Position, &e.Changes, &e.Began)
	if err != nil {
		return nil, fmt.Errorf("go on erasing a person: %w", err)
	}
	return e, nil
}

// SaveErasure keeps how far it has come.
func (db *DB) SaveErasure(ctx context.Context, tx pgx.Tx, e *Erasure) error {
	_, err := tx.Exec(ctx, `UPDATE person_erasures SET traces = $2, place = $3, changes = $4, touched_at = now(), requeues = 0 WHERE person_id = $1`, e.Person, e.Traces, e.Position, e.Changes)
	if err != nil {
		return fmt.Errorf("keep how far an erasure is: %w", err)
	}
	return nil
}

// ChangesPartRef is a part of some job's change set, with how many changes it has.
type ChangesPartRef struct {
	ChangeSet
	At      ChangesPosition
	Changes int
}

// chosenParts are the parts that may hold something of a person: $1 are the tables. What
// undos have kept is in no tally.
const chosenParts = `(tally ?| $1 OR tally = '{}' OR job_id IN (SELECT id FROM import_jobs WHERE purpose = 'UNDO'))`

// EachPersonChanges hears the next parts of the organisation's change sets, real or planned,
// that may hold something of a person, and returns how many it heard.
func (db *DB) EachPersonChanges(ctx context.Context, tx pgx.Tx, after ErasurePosition, limit int, f func(ChangesPartRef, []changeset.Change) error) (int, error) {
	return db.eachChanges(ctx, tx, ChangeSet{Planned: after.Planned}, f,
		`(job_id, chunk_index, part) > ($2, $3, $4) ORDER BY job_id, chunk_index, part LIMIT $5`, after.Job, after.At.Chunk, after.At.Part, limit)
}

// maxTransactionTime is how long a transaction that writes change sets may have been going on
// before it is seen.
const maxTransactionTime = 15 * time.Minute

// EachRecentPersonChanges hears those that may have been written since an erasure began.
func (db *DB) EachRecentPersonChanges(ctx context.Context, tx pgx.Tx, began time.Time, f func(ChangesPartRef, []changeset.Change) error) error {
	for _, planned := range []bool{false, true} {
		if _, err := db.eachChanges(ctx, tx, ChangeSet{Planned: planned}, f, `created_at > $2`, began.Add(-maxTransactionTime)); err != nil {
			return err
		}
	}
	return nil
}

func (*DB) eachChanges(ctx context.Context, tx pgx.Tx, set ChangeSet, f func(ChangesPartRef, []changeset.Change) error, where string, args ...any) (n int, err error) {
	rows, err := tx.Query(ctx, `SELECT job_id, chunk_index, part, data FROM `+set.table()+` WHERE `+chosenParts+` AND `+where, append([]any{personTables()}, args...)...)
	if err != nil {
		return 0, fmt.Errorf("changes of persons: %w", err)
	}
	place := ChangesPartRef{ChangeSet: set}
	var data []byte
	if _, err = pgx.ForEachRow(rows, []any{&place.Key, &place.At.Chunk, &place.At.Part, &data}, func() error {
		changes, err := changeset.Decode(data)
		if err != nil {
			return fmt.Errorf("chunk %d of job %d: %w", place.At.Chunk, place.Key, err)
		}
		n++
		place.Changes = len(changes)
		return f(place, changes)
	}); err != nil {
		return n, fmt.Errorf("changes of persons: %w", err)
	}
	return n, nil
}

// RewriteChanges replaces a part by what is left of it. A plan that waits has another digest
// then: who has seen it looks again.
func (db *DB) RewriteChanges(ctx context.Context, tx pgx.Tx, place ChangesPartRef, left []changeset.Change) error {
	data, err := db.changes.Encode(left)
	if err != nil {
		return fmt.Errorf("changes of job %d: %w", place.Key, err)
	}
	n := changeset.Count(left)
	first, last := changeset.RowRange(left)
	_, err = tx.Exec(ctx, `
		UPDATE `+place.table()+`
		SET data = $4, created = $5, updated = $6, deleted = $7, first_row = $8, last_row = $9, tally = $10
		WHERE job_id = $1 AND chunk_index = $2 AND part = $3`,
		place.Key, place.At.Chunk, place.At.Part, data, n.Created, n.Updated, n.Deleted, first, last, changeset.NewTally(left))
	if err == nil && place.Planned {
		_, err = tx.Exec(ctx, `UPDATE import_jobs SET plan_digest = `+planDigest+` WHERE id = $1 AND plan_digest IS NOT NULL`, place.Key)
	}
	if err != nil {
		return fmt.Errorf("changes of job %d: %w", place.Key, err)
	}
	return nil
}

// EndErasure deletes a person with all that belongs to them, and what was kept to find it.
func (db *DB) EndErasure(ctx context.Context, tx pgx.Tx, person int64) error {
	batch := &pgx.Batch{}
	batch.Queue(`DELETE FROM results WHERE participant_id IN (SELECT id FROM event_participants WHERE person_id = $1)`, person)
	batch.Queue(`DELETE FROM event_participants WHERE person_id = $1`, person)
	batch.Queue(`DELETE FROM memberships WHERE person_id = $1`, person)
	batch.Queue(`DELETE FROM persons WHERE id = $1`, person)
	batch.Queue(`DELETE FROM person_erasures WHERE person_id = $1`, person)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("erase a person: %w", err)
	}
	return nil
}
