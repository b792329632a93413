package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// Deliveries finds deliveries of all organisations that are due.
type Deliveries interface {
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	QueueDeliveries(ctx context.Context, tx pgx.Tx, again time.Duration, limit int) ([]job.EventRef, error)
}

// Queue takes what is to be delivered.
type Queue interface {
	SendEvent(ctx context.Context, ref job.EventRef) error
}

// Requeue queues deliveries whose next attempt is due. It is called once a
// minute: a pause lasts until the first call after its end.
type Requeue struct {
	deliveries Deliveries
	queue      Queue
}

// NewRequeue returns what queues due deliveries.
func NewRequeue(deliveries Deliveries, queue Queue) *Requeue {
	return &Requeue{deliveries: deliveries, queue: queue}
}

// How many deliveries are queued at once, and how long one that is queued may
// take until its message counts as lost.
const (
	requeueBatch   = 500
	requeueTimeout = 15 * time.Minute
)

// Run queues what is due. What cannot be queued counts as lost, and is due again.
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
