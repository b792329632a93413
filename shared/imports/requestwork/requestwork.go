// Package requestwork limits the work that the requests of one organisation cause at the same time.
//
// Tested by shared/httpapi: through the API, on a real database.
package requestwork

import (
	"context"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/transform"
)

// Slots are the slots of organisations.
type Slots interface {
	AcquireSlot(ctx context.Context, organisation tenant.ID, s quota.Slot) (uuid.UUID, error)
	ReleaseAcquired(ctx context.Context, organisation tenant.ID, id uuid.UUID) error
}

// Open returns the allowance of one request: at most that work. Ordinary requests need no slot; one
// whose steps need more work takes the organisation's slot, or ends with TOO_MANY_REQUESTS. The caller
// calls release once it has done the work.
func Open(ctx context.Context, slots Slots, organisation tenant.ID, work int64) (_ *transform.Allowance, release func()) {
	slot := uuid.Nil
	ask := func() (err error) {
		slot, err = slots.AcquireSlot(ctx, organisation, quota.WorkSlot)
		if err == nil && slot == uuid.Nil {
			return problem.New(problem.TooManyRequests,
				"Your organisation already runs another request with expensive patterns. Try again in a few seconds, or simplify the patterns.")
		}
		return err
	}
	return transform.NewRequestAllowance(work, ask), func() {
		if slot != uuid.Nil {
			_ = slots.ReleaseAcquired(ctx, organisation, slot) // otherwise it expires
		}
	}
}
