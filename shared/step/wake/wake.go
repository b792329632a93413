// Package wake calls reconcile only if there may be work for it. Reconcile queries the database,
// and a database without queries can sleep.
package wake

import (
	"context"
	"errors"
	"time"
)

// DueItem reports whether there may be work.
type DueItem interface {
	Due(ctx context.Context, now time.Time) (bool, error)
}

// Reconcile is the function that does the work.
type Reconcile interface {
	Start(ctx context.Context) error
}

// Step is the wake function.
type Step struct {
	item      DueItem
	reconcile Reconcile
}

// New returns the step.
func New(item DueItem, reconcile Reconcile) *Step { return &Step{item: item, reconcile: reconcile} }

// Run checks once. If it cannot determine whether there is work, it calls reconcile.
func (s *Step) Run(ctx context.Context) error {
	due, err := s.item.Due(ctx, time.Now())
	if err == nil && !due {
		return nil
	}
	return errors.Join(err, s.reconcile.Start(ctx))
}
