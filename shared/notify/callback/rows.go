package callback

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Store clears callbacks that have been sent.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	MarkCallbackSent(ctx context.Context, tx pgx.Tx, key job.Key) error
}

// RowsCompleter completes the task of AwaitRows for the process that commits the last chunk.
type RowsCompleter struct {
	store     Store
	completer *Completer
}

// NewRowsCompleter returns a RowsCompleter that records completions in store.
func NewRowsCompleter(store Store, completer *Completer) *RowsCompleter {
	return &RowsCompleter{store: store, completer: completer}
}

// CompleteIfRowsDone completes the task of AwaitRows if the last chunk is committed.
func (r *RowsCompleter) CompleteIfRowsDone(ctx context.Context, j *job.Job, p job.Progress) error {
	if !p.RowsDone() {
		return nil
	}
	completed, err := r.completer.Complete(ctx, j.ID, job.PhaseRows, NextAfterRows(j, p.Counts))
	if err != nil || !completed {
		return err
	}
	err = r.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error { return r.store.MarkCallbackSent(ctx, tx, j.Key) })
	if err != nil {
		return fmt.Errorf("rows done: %w", err)
	}
	return nil
}
