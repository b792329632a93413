// Package capture saves the changes that the rows of a chunk, or of a file that is read in
// one piece, make: in the job's change set, or in its plan if the writes are rolled back.
//
// Tested by shared/step: whole imports on a real database.
package capture

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// Store saves the changes that imports have made or would make. It captures all changes that
// the transaction makes between begin and end.
type Store interface {
	BeginCapture(ctx context.Context, tx pgx.Tx) error
	BeginPlanCapture(ctx context.Context, tx pgx.Tx) error
	EndCapture(ctx context.Context, tx pgx.Tx) ([]changeset.Change, error)
	AddPlannedChanges(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error
	AddChanges(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error
}

// Record runs write and adds its changes to the job's change set. It saves nothing for a dry
// run, which changes nothing, and for imports that cannot be undone. check refuses the changes, and
// with them the writes, by an error; nil accepts all.
func Record(ctx context.Context, tx pgx.Tx, store Store, j *job.Job, chunk int, write func(pgx.Tx) error, check Check) error {
	if !j.CapturesChanges() || j.IsPlanning() {
		return write(tx)
	}
	if err := store.BeginCapture(ctx, tx); err != nil {
		return err
	}
	if err := write(tx); err != nil {
		return err
	}
	changes, err := endCapture(ctx, tx, store)
	if err == nil && check != nil {
		err = check(changes)
	}
	if err != nil || len(changes) == 0 {
		return err
	}
	return store.AddChanges(ctx, tx, j, chunk, changes)
}

// errRollback rolls back the writes of a dry run.
var errRollback = errors.New("rehearsed")

// DryRun runs write and rolls its writes back. For a plan it saves the changes; for a dry run
// it saves nothing. check is like that of Record; it is not called for a dry run.
func DryRun(ctx context.Context, tx pgx.Tx, store Store, j *job.Job, chunk int, write func(pgx.Tx) error, check Check) error {
	var changes []changeset.Change
	err := entity.Savepoint(ctx, tx, func(tx pgx.Tx) (err error) {
		if changes, err = captureWrites(ctx, tx, store, j, write); err == nil {
			err = errRollback
		}
		return err
	})
	if !errors.Is(err, errRollback) {
		return err
	}
	if !j.DryRun && check != nil {
		if err := check(changes); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return store.AddPlannedChanges(ctx, tx, j, chunk, changes)
}

// captureWrites runs write and, for a plan, returns its changes. Capturing ends when the
// savepoint is rolled back.
func captureWrites(ctx context.Context, tx pgx.Tx, store Store, j *job.Job, write func(pgx.Tx) error) ([]changeset.Change, error) {
	if j.DryRun {
		return nil, write(tx)
	}
	if err := store.BeginPlanCapture(ctx, tx); err != nil {
		return nil, err
	}
	if err := write(tx); err != nil {
		return nil, err
	}
	return endCapture(ctx, tx, store)
}

// endCapture returns the changes. No row of a file is about an entity that an import deletes: the
// row that the database names is that of the import which wrote the entity.
func endCapture(ctx context.Context, tx pgx.Tx, store Store) ([]changeset.Change, error) {
	changes, err := store.EndCapture(ctx, tx)
	for i := range changes {
		if changes[i].Op == changeset.Deleted {
			changes[i].Row = 0
		}
	}
	return changes, err
}
