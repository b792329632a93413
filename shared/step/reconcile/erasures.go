package reconcile

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
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

// startDeletions starts or continues confirmed deletions of organisations that are due.
func (l *Requeuer) startDeletions(ctx context.Context) error {
	var open []tenant.ID
	err := l.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		open, err = l.store.ClaimOpenDeletions(ctx, tx, l.limit)
		return err
	})
	if err != nil {
		return fmt.Errorf("reconcile deletions: %w", err)
	}
	var faults []error
	for _, organisation := range open {
		l.log.InfoContext(telemetry.With(ctx, "organisation_id", organisation), "deletion of an organisation continued by reconcile")
		faults = append(faults, l.queues.Erasures.StartDeletion(ctx, organisation))
	}
	return errors.Join(faults...)
}
