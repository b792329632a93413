package queue

import (
	"context"
	"time"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// SendObject queues the event of an object for its organisation, after a delay.
func (q *Queue) SendObject(ctx context.Context, organisation tenant.ID, e object.Event, delay time.Duration) error {
	return q.sendLater(ctx, organisation, e, "event of an object", delay)
}
