package callback

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Store forgets callbacks that have been sent.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	CallbackSent(ctx context.Context, tx pgx.Tx, key job.Key) error
}

// Rows completes the task of AwaitRows for the process that commits the last chunk.
type Rows struct {
	store     Store
	completer *Completer
}

// NewRows returns a Rows that notes in store what it has completed.
func NewRows(store Store, completer *Completer) *Rows {
	return &Rows{store: store, completer: completer}
}

// RowsDone completes the task of AwaitRows if the last chunk is committed.
func (r *Rows) RowsDone(ctx context.Context, j *job.Job, p job.Progress) error {
	if !p.RowsDone() {
		return nil
	}
	completed, err := r.completer.Complete(ctx, j.ID, job.PhaseRows, AfterRows(j, p.Counts))
	if err != nil || !completed {
		return err
	}
	err = r.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error { return r.store.CallbackSent(ctx, tx, j.Key) })
	if err != nil {
		return fmt.Errorf("rows done: %w", err)
	}
	return nil
}
