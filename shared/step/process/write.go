package process

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changeset"
	"github.com/loadbay/loadbay/shared/entity"
)

// write resolves what the cells refer to and writes the entities.
func (s *Step) write(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if err := s.resolve(ctx, tx, a); err != nil {
		return err
	}
	a.deferTogether()
	if a.hopeless() {
		a.left = true
		return nil
	}
	if a.batch.Len() == 0 {
		return nil
	}
	if a.job.DryRun || a.job.Rehearses() {
		return s.rehearse(ctx, tx, a)
	}
	return s.writeRows(ctx, tx, a)
}

// errRehearsed rolls the writes of a rehearsal back.
var errRehearsed = errors.New("rehearsed")

// rehearse writes the rows to see what becomes of them, and takes them back. Of a plan,
// what they change is kept.
func (s *Step) rehearse(ctx context.Context, tx pgx.Tx, a *attempt) error {
	var changes []changeset.Change
	err := entity.Savepoint(ctx, tx, func(tx pgx.Tx) (err error) {
		if changes, err = s.writeToPlan(ctx, tx, a); err == nil {
			err = errRehearsed
		}
		return err
	})
	if !errors.Is(err, errRehearsed) {
		return err
	}
	if len(changes) == 0 {
		return nil
	}
	return s.store.AddPlanned(ctx, tx, a.job, a.chunk.Index, changes)
}

// writeToPlan writes the rows and returns, of a plan, what they change. Capturing ends
// when its savepoint is rolled back.
func (s *Step) writeToPlan(ctx context.Context, tx pgx.Tx, a *attempt) ([]changeset.Change, error) {
	if a.job.DryRun {
		return nil, s.writeRows(ctx, tx, a)
	}
	if err := s.store.BeginPlan(ctx, tx); err != nil {
		return nil, err
	}
	if err := s.writeRows(ctx, tx, a); err != nil {
		return nil, err
	}
	return s.store.EndCapture(ctx, tx)
}

// writeRows writes the batch: all of its rows but those that the database refuses
// for what is in them.
func (s *Step) writeRows(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if err := s.bind(ctx, tx, a); err != nil {
		return err
	}
	written := func(part *entity.Batch) error {
		a.take(part)
		return s.displace(ctx, tx, a, part.Displaced)
	}
	return entity.Bisect(ctx, tx, a.batch, a.writer.Write, written, func(row int64, sqlState string) {
		s.log.WarnContext(ctx, "row refused by the database", "chunk", a.chunk.Index, "row", row, "sqlstate", sqlState)
	})
}
