package wholefile

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// Changes keeps what imports have changed. What is captured is what the transaction
// changes from begin to end.
type Changes interface {
	BeginCapture(ctx context.Context, tx pgx.Tx) error
	EndCapture(ctx context.Context, tx pgx.Tx) ([]changeset.Change, error)
	AddChanges(ctx context.Context, tx pgx.Tx, j *job.Job, chunk int, changes []changeset.Change) error
}

// writeCaptured writes the rows of a part and adds what they change to the job's change
// set. Nothing is kept of
// a dry run, or where nothing is undone.
func (s *Step) writeCaptured(ctx context.Context, tx pgx.Tx, f *file, part int, w *writing, b *entity.Batch) error {
	if !f.job.KeepsChanges() {
		return s.writeRows(ctx, tx, f, w, b)
	}
	if err := s.store.BeginCapture(ctx, tx); err != nil {
		return err
	}
	if err := s.writeRows(ctx, tx, f, w, b); err != nil {
		return err
	}
	changes, err := s.store.EndCapture(ctx, tx)
	if err != nil || len(changes) == 0 {
		return err
	}
	return s.store.AddChanges(ctx, tx, f.job, part, changes)
}
