package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity"
)

// BeginErasure returns the erasure of a person, creating it if necessary, and locks it until
// the transaction ends.
func (db *DB) BeginErasure(ctx context.Context, tx pgx.Tx, person int64) (*erasure.Erasure, error) {
	_, err := tx.Exec(ctx, `
		INSERT INTO person_erasures (organisation_id, person_id, traces, place)
		VALUES (current_organisation(), $1, '{"entities": [], "rows": [], "values": []}', '{}')
		ON CONFLICT (organisation_id, person_id) DO NOTHING`, person)
	if err != nil {
		return nil, fmt.Errorf("begin erasure: %w", err)
	}
	return lockErasure(ctx, tx, person)
}

// ResumeErasure is BeginErasure for an erasure that has begun and not ended.
func (db *DB) ResumeErasure(ctx context.Context, tx pgx.Tx, person int64) (*erasure.Erasure, error) {
	return lockErasure(ctx, tx, person)
}

func lockErasure(ctx context.Context, tx pgx.Tx, person int64) (*erasure.Erasure, error) {
	e := &erasure.Erasure{Person: person}
	err := tx.QueryRow(ctx, `SELECT traces, place, changes, began_at FROM person_erasures WHERE person_id = $1 FOR UPDATE`, person).
		Scan(&e.Traces, &e.Position, &e.Changes, &e.Began)
	if err != nil {
		return nil, fmt.Errorf("lock erasure: %w", err)
	}
	return e, nil
}

// SaveErasure saves the progress of an erasure.
func (db *DB) SaveErasure(ctx context.Context, tx pgx.Tx, e *erasure.Erasure) error {
	_, err := tx.Exec(ctx, `UPDATE person_erasures SET traces = $2, place = $3, changes = $4, touched_at = now(), requeues = 0 WHERE person_id = $1`, e.Person, e.Traces, e.Position, e.Changes)
	if err != nil {
		return fmt.Errorf("save erasure progress: %w", err)
	}
	return nil
}

// chosenParts is the condition of parts that may contain data of a person: $1 are the tables.
// Tallies do not contain the values saved by undos.
const chosenParts = `(tally ?| $1 OR tally = '{}' OR job_id IN (SELECT id FROM import_jobs WHERE purpose = 'UNDO'))`

// EachPersonChanges calls f for the next parts of the organisation's change sets, actual or
// planned, that may contain data of a person, and returns the number of calls.
func (db *DB) EachPersonChanges(ctx context.Context, tx pgx.Tx, of *erasure.Tables, after erasure.Position, limit int, f func(changeset.PartRef, []changeset.Change) error) (int, error) {
	return db.eachChanges(ctx, tx, of, after.Planned, f,
		`(job_id, chunk_index, part) > ($2, $3, $4) ORDER BY job_id, chunk_index, part LIMIT $5`, after.Job, after.At.Chunk, after.At.Part, limit)
}

// maxTransactionTime is the maximum time after which a transaction that writes change sets
// becomes visible.
const maxTransactionTime = 15 * time.Minute

// EachRecentPersonChanges calls f for the parts that may have been written since an erasure
// began.
func (db *DB) EachRecentPersonChanges(ctx context.Context, tx pgx.Tx, of *erasure.Tables, began time.Time, f func(changeset.PartRef, []changeset.Change) error) error {
	for _, planned := range []bool{false, true} {
		if _, err := db.eachChanges(ctx, tx, of, planned, f, `created_at > $2`, began.Add(-maxTransactionTime)); err != nil {
			return err
		}
	}
	return nil
}

func (*DB) eachChanges(ctx context.Context, tx pgx.Tx, of *erasure.Tables, planned bool, f func(changeset.PartRef, []changeset.Change) error, where string, args ...any) (n int, err error) {
	rows, err := tx.Query(ctx, `SELECT job_id, chunk_index, part, data FROM `+changesTable(changeset.Ref{Planned: planned})+` WHERE `+chosenParts+` AND `+where, append([]any{of.Names()}, args...)...)
	if err != nil {
		return 0, fmt.Errorf("load changes of persons: %w", err)
	}
	place := changeset.PartRef{Ref: changeset.Ref{Planned: planned}}
	var data []byte
	if _, err = pgx.ForEachRow(rows, []any{&place.Key, &place.At.Chunk, &place.At.Part, &data}, func() error {
		changes, err := changeset.Decode(data)
		if err != nil {
			return fmt.Errorf("erase in chunk %d of job %d: %w", place.At.Chunk, place.Key, err)
		}
		n++
		place.Changes = len(changes)
		return f(place, changes)
	}); err != nil {
		return n, fmt.Errorf("load changes of persons: %w", err)
	}
	return n, nil
}

// RewriteChanges replaces a part by its remaining changes. This changes the digest of a
// waiting plan, so it has to be reviewed again.
func (db *DB) RewriteChanges(ctx context.Context, tx pgx.Tx, place changeset.PartRef, left []changeset.Change) error {
	data, err := db.changes.Encode(left)
	if err != nil {
		return fmt.Errorf("rewrite changes of job %d: %w", place.Key, err)
	}
	n := changeset.Count(left)
	first, last := changeset.RowRange(left)
	_, err = tx.Exec(ctx, `
		UPDATE `+changesTable(place.Ref)+`
		SET data = $4, created = $5, updated = $6, deleted = $7, first_row = $8, last_row = $9, tally = $10
		WHERE job_id = $1 AND chunk_index = $2 AND part = $3`,
		place.Key, place.At.Chunk, place.At.Part, data, n.Created, n.Updated, n.Deleted, first, last, changeset.NewTally(left))
	if err == nil && place.Planned {
		_, err = tx.Exec(ctx, `UPDATE import_jobs SET plan_digest = `+planDigest+` WHERE id = $1 AND plan_digest IS NOT NULL`, place.Key)
	}
	if err != nil {
		return fmt.Errorf("rewrite changes of job %d: %w", place.Key, err)
	}
	return nil
}

// EndErasure deletes a person with all dependent data, empties the person's rows in declared tables, and
// deletes the data of the erasure.
func (db *DB) EndErasure(ctx context.Context, tx pgx.Tx, of *erasure.Tables, person int64, t *erasure.Traces) error {
	for i := range of.Declared {
		if err := emptyRows(ctx, tx, &of.Declared[i], t.IDs(of.Declared[i].Name)); err != nil {
			return err
		}
	}
	batch := &pgx.Batch{}
	for i := len(of.Owned) - 1; i >= 0; i-- {
		batch.Queue(`DELETE FROM `+of.Owned[i].Name+` WHERE `+ofPerson(of, of.Owned[i].Name), person)
	}
	batch.Queue(`DELETE FROM person_erasures WHERE person_id = $1`, person)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("end erasure: %w", err)
	}
	return nil
}

// ofPerson returns the condition that an entity of a table belongs to the person $1.
func ofPerson(of *erasure.Tables, table string) string {
	owner := of.OwnerOf(table)
	switch owner.Table {
	case "":
		return `id = $1`
	case entity.PersonTable:
		return owner.Column + ` = $1`
	}
	return owner.Column + ` IN (SELECT id FROM ` + owner.Table + ` WHERE ` + ofPerson(of, owner.Table) + `)`
}
