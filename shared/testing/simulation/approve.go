package simulation

import (
	"context"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
)

// approve lets the person have a plan applied.
func (p *play) approve(ctx context.Context, j *job.Job) {
	p.personal++
	p.begin(ctx, "approves", func(ctx context.Context) error {
		_, err := p.functions.review.Apply(ctx, p.ref, review.Approved{Digest: j.Plan.Digest, OnStale: job.StaleSkipped, By: "made up"})
		return err
	}, func(t *task) {
		p.personal--
		p.conclude(t)
	})
}
