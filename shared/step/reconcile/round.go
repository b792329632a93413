package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Item is where whoever commits something says that there may be work.
type Item interface {
	Raises(ctx context.Context) (int64, error)
	Settle(ctx context.Context, raises int64, began, next time.Time) error
}

// NextStore knows when what is stored is to be looked at again.
type NextStore interface {
	InMaintenance(ctx context.Context, f func(pgx.Tx) error) error
	NextDue(ctx context.Context, tx pgx.Tx) (time.Time, error)
}

// Round is one look at everything, after which nobody need look again before something
// is due.
type Round struct {
	store NextStore
	item  Item
	look  func(context.Context) error
}

// NewRound returns a Round of what look looks at.
func NewRound(store NextStore, item Item, look func(context.Context) error) *Round {
	return &Round{store: store, item: item, look: look}
}

// Run looks once. After a fault everything stays due.
func (r *Round) Run(ctx context.Context) error {
	began := time.Now()
	raises, err := r.item.Raises(ctx)
	if err != nil {
		return err
	}
	if err := r.look(ctx); err != nil {
		return err
	}
	var next time.Time
	err = r.store.InMaintenance(ctx, func(tx pgx.Tx) (err error) {
		next, err = r.store.NextDue(ctx, tx)
		return err
	})
	if err != nil {
		return fmt.Errorf("reconcile: %w", err)
	}
	return r.item.Settle(ctx, raises, began, next)
}
