package simulation

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/review"
	"github.com/loadbay/loadbay/shared/testing/checker"
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

// asPlanned says of rows that would have written something that they have not.
func asPlanned(lines []checker.Line, counts *job.Counts) {
	counts.Created, counts.Updated = 0, 0
	for i := range lines {
		switch lines[i].Outcome {
		case job.Created:
			lines[i].Outcome = job.PlannedCreated
		case job.Updated:
			lines[i].Outcome = job.PlannedUpdated
		}
	}
}
