package queue

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
)

// SendErasure queues the erasure of a person.
func (q *Queue) SendErasure(ctx context.Context, ref job.ErasureRef) error {
	return q.send(ctx, ref.OrganisationID, ref, fmt.Sprintf("erasure of person %d", ref.PersonID))
}
