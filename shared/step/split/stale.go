package split

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/planapply"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// checkStale checks all changes of a plan before its first chunk is queued, if the plan is to be
// abandoned when any of them is stale: PLAN_STALE, with the number of the first such row.
// Changes that become stale later are skipped.
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

// checkChunkStale is checkStale for one chunk.
func (s *Step) checkChunkStale(ctx context.Context, j *job.Job, chunk int) error {
	var stale map[int64]bool
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		parts, err := s.store.PlannedChanges(ctx, tx, j.Key, chunk)
		if err != nil {
			return err
		}
		kind, err := s.types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
		if err != nil {
			return err
		}
		if err := entity.Enter(ctx, tx, kind); err != nil {
			return err
		}
		verify, err := planapply.VerifyDependents(ctx, tx, kind, parts, j.ResultJSON)
		if err != nil {
			return err
		}
		stale, err = planapply.FindStale(ctx, tx, s.store, planapply.Target{Organisation: j.OrganisationID, Type: kind, Job: j.Key, Whole: verify != nil, Verify: verify}, parts)
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
	if first == 0 {
		return problem.New(problem.PlanStale, "Data that the rows depend on has changed since the plan was created. No data was written.")
	}
	return problem.New(problem.PlanStale, "The data of row %d has changed since the plan was created. No data was written.", first)
}
