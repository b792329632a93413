package simulation

import (
	"context"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
)

// approvePlan lets the person approve a plan.
func (p *importRun) approvePlan(ctx context.Context) {
	j, err := p.job(ctx)
	if err != nil {
		p.report("read the plan: %v", err)
		return
	}
	p.personTasks++
	p.begin(ctx, "approves", func(ctx context.Context) error {
		_, err := p.functions.review.Apply(ctx, p.ref, review.Approval{Digest: j.Plan.Digest, OnStale: job.SkipStale, By: "made up"})
		return err
	}, func(t *task) {
		p.personTasks--
		p.finishTask(t)
	})
}
