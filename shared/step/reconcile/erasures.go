package reconcile

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// requeueErasures continues erasures that have made no progress. An erasure that takes longer than a
// request is interrupted, and the client may not repeat the request.
func (l *Requeuer) requeueErasures(ctx context.Context) error {
	var lost []job.ErasureRef
	err := l.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		lost, err = l.store.ClaimLostErasures(ctx, tx, l.limit)
		return err
	})
	if err != nil {
		return fmt.Errorf("reconcile erasures: %w", err)
	}
	var faults []error
	for _, ref := range lost {
		l.log.InfoContext(telemetry.With(ctx, "organisation_id", ref.OrganisationID, "person_id", ref.PersonID), "erasure continued by reconcile")
		faults = append(faults, l.queues.Erasures.StartErasure(ctx, ref))
	}
	return errors.Join(faults...)
}
