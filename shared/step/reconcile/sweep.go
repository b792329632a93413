package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// DueItem counts raises: every commit that may create work raises the item.
type DueItem interface {
	RaiseCount(ctx context.Context) (int64, error)
	RecordCheck(ctx context.Context, raises int64, began, next time.Time) error
}

// DueStore returns the time at which stored data is due for the next check.
type DueStore interface {
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	NextDue(ctx context.Context, tx pgx.Tx) (time.Time, error)
}

// Sweep is one check of everything. Afterwards no check is needed until something becomes due.
type Sweep struct {
	store     DueStore
	item      DueItem
	reconcile func(context.Context) error
}

// NewSweep returns a Sweep that calls look.
func NewSweep(store DueStore, item DueItem, look func(context.Context) error) *Sweep {
	return &Sweep{store: store, item: item, reconcile: look}
}

// Run checks once. After an error everything stays due.
func (r *Sweep) Run(ctx context.Context) error {
	began := time.Now()
	raises, err := r.item.RaiseCount(ctx)
	if err != nil {
		return err
	}
	if err := r.reconcile(ctx); err != nil {
		return err
	}
	var next time.Time
	err = r.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		next, err = r.store.NextDue(ctx, tx)
		return err
	})
	if err != nil {
		return fmt.Errorf("reconcile: %w", err)
	}
	return r.item.RecordCheck(ctx, raises, began, next)
}
