package process

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/capture"
	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/planapply"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// Changes stores what imports have changed, and what they would change.
type Changes interface {
	capture.Store
	planapply.Entities
	PlannedChanges(ctx context.Context, tx pgx.Tx, key job.Key, chunk int) ([]changeset.Part, error)
}

// writeCaptured writes the rows and adds their changes to the job's change set, including the
// entities that are created for references.
func (s *Step) writeCaptured(ctx context.Context, tx pgx.Tx, a *attempt) error {
	write := s.write
	if a.job.IsApplying() {
		write = s.applyPlan
	}
	return entity.WithCurrent(ctx, tx, a.kind, func(current entity.Type, warnings []string) error {
		a.current, a.warnings = current, warnings
		return capture.Record(ctx, tx, s.store, a.job, a.chunk.Index, func(tx pgx.Tx) error { return write(ctx, tx, a) }, a.checkRecorded)
	})
}

// checkRecorded refuses to commit rows that are reported as written, but whose changes were not
// captured.
func (a *attempt) checkRecorded(changes []changeset.Change) error {
	if a.job.IsApplying() {
		return nil // the plan has been checked
	}
	return a.reported.Check(a.plan.Declaration)(changes)
}
