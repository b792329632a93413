package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// Deliveries finds due deliveries of all organisations.
type Deliveries interface {
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	QueueDeliveries(ctx context.Context, tx pgx.Tx, again time.Duration, limit int) ([]job.EventRef, error)
}

// Queue accepts due deliveries.
type Queue interface {
	SendEvent(ctx context.Context, ref job.EventRef) error
}

// Requeue queues deliveries when their next attempt is due. It is called once a minute, so a delay
// lasts until the first call after its end.
type Requeue struct {
	deliveries Deliveries
	queue      Queue
}

// NewRequeue returns a Requeue.
func NewRequeue(deliveries Deliveries, queue Queue) *Requeue {
	return &Requeue{deliveries: deliveries, queue: queue}
}

// The number of deliveries queued at once, and the time after which the message of a queued
// delivery counts as lost.
const (
	requeueBatch   = 500
	requeueTimeout = 15 * time.Minute
)

// Run queues due deliveries. A delivery that cannot be queued counts as lost and becomes due
// again.
func (r *Requeue) Run(ctx context.Context) error {
	var due []job.EventRef
	err := r.deliveries.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		due, err = r.deliveries.QueueDeliveries(ctx, tx, requeueTimeout, requeueBatch)
		return err
	})
	if err != nil {
		return fmt.Errorf("due deliveries: %w", err)
	}
	var faults []error
	for _, ref := range due {
		faults = append(faults, r.queue.SendEvent(ctx, ref))
	}
	return errors.Join(faults...)
}
