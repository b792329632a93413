package process

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changeset"
	"github.com/loadbay/loadbay/shared/job"
)

// Changes keeps what imports have changed. What is captured is what the transaction
// changes from begin to end.
type Changes interface {
	BeginCapture(ctx context.Context, tx pgx.Tx) error
	EndCapture(ctx context.Context, tx pgx.Tx) ([]changeset.Change, error)
	BeginPlan(ctx context.Context, tx pgx.Tx) error
	AddPlanned(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error
	Planned(ctx context.Context, tx pgx.Tx, key job.Key, chunk int) ([]changeset.Part, error)
	AddChanges(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error
}

// writeCaptured writes the rows and adds what they change to the job's change set: with
// the entities that cells refer to and that are made for them. A rehearsal changes nothing,
// and nothing is kept where nothing is undone.
func (s *Step) writeCaptured(ctx context.Context, tx pgx.Tx, a *attempt) error {
	write := s.write
	if a.job.Applies() {
		write = s.apply
	}
	if !a.job.KeepsChanges() || a.job.Rehearses() {
		return write(ctx, tx, a)
	}
	if err := s.store.BeginCapture(ctx, tx); err != nil {
		return err
	}
	if err := write(ctx, tx, a); err != nil {
		return err
	}
	changes, err := s.store.EndCapture(ctx, tx)
	if err != nil || len(changes) == 0 {
		return err
	}
	return s.store.AddChanges(ctx, tx, a.job, a.chunk.Index, changes)
}
