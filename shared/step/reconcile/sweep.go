package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// DueItem is where whoever commits something says that there may be work.
type DueItem interface {
	RaiseCount(ctx context.Context) (int64, error)
	RecordCheck(ctx context.Context, raises int64, began, next time.Time) error
}

// DueStore knows when what is stored is to be looked at again.
type DueStore interface {
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	NextDue(ctx context.Context, tx pgx.Tx) (time.Time, error)
}

// Sweep is one look at everything, after which nobody need look again before something
// is due.
type Sweep struct {
	store     DueStore
	item      DueItem
	reconcile func(context.Context) error
}

// NewSweep returns a Round of what look looks at.
func NewSweep(store DueStore, item DueItem, look func(context.Context) error) *Sweep {
	return &Sweep{store: store, item: item, reconcile: look}
}

// Run looks once. After a fault everything stays due.
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
