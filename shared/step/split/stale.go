package split

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/planapply"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// checkStale looks at all that a plan changes before its first chunk is queued, if it is to be
// left where some of that is stale: PLAN_STALE, with the number of the first such row. What
// turns stale later is skipped.
func (s *Step) checkStale(ctx context.Context, j *job.Job) error {
	written := j.Progress.Counts.Created + j.Progress.Counts.Updated
	if !j.IsApplying() || j.Plan.OnStale != job.AbortOnStale || written > 0 {
		return nil
	}
	var open []int
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		open, err = s.store.OpenChunks(ctx, tx, j.Key)
		return err
	})
	for i := 0; err == nil && i < len(open); i++ {
		err = s.checkChunkStale(ctx, j, open[i])
	}
	return err
}

// checkChunkStale is abort for one chunk.
func (s *Step) checkChunkStale(ctx context.Context, j *job.Job, chunk int) error {
	var stale map[int64]bool
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		parts, err := s.store.PlannedChanges(ctx, tx, j.Key, chunk)
		if err != nil {
			return err
		}
		stale, err = planapply.FindStale(ctx, tx, s.store, planapply.Target{Organisation: j.OrganisationID, Job: j.Key}, parts)
		return err
	})
	if err != nil || len(stale) == 0 {
		return err
	}
	first := int64(0)
	for row := range stale {
		if first == 0 || row < first {
			first = row
		}
	}
	return problem.New(problem.PlanStale, "What row %d changes is not any more what it was when the plan was made. Nothing was written.", first)
}
