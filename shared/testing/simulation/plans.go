package simulation

import (
	"context"
	"slices"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/simulation/history"
)

// rehearsal is an import that is planned: what its chunks would change, and whether
// somebody has approved of that.
type rehearsal struct {
	chunks  map[int][]history.Planned
	waits   bool
	applies bool
	onStale job.OnStale
}

// drawPlan decides whether an import is planned. Rows of one file about the same entity
// are left to imports that are not.
func (l *life) drawPlan(rows []history.Row) *rehearsal {
	if l.IntN(3) > 0 || slices.ContainsFunc(rows, func(r history.Row) bool { return r.Repeats }) {
		return nil
	}
	return &rehearsal{chunks: make(map[int][]history.Planned)}
}

// approve has a plan applied, whatever has become of its entities since. The one who
// approves may lose the answer, and does so again.
func (l *life) approve(ctx context.Context, i *imported) error {
	i.planned.onStale = []job.OnStale{job.StaleSkipped, job.StaleAborts, job.StaleOverwritten}[l.IntN(3)]
	j, err := i.play.job(ctx)
	if err != nil {
		return err
	}
	said := review.Approved{Digest: j.Plan.Digest, OnStale: i.planned.onStale, By: "lived"}
	stale := l.stale(i.planned)
	l.act("%s is approved of, %s, stale %t", i.name(), said.OnStale, stale)
	i.begin(ctx, "approves", func(ctx context.Context) error {
		_, err := i.functions.review.Apply(ctx, i.ref, said)
		return err
	}, i.conclude)
	i.drain(l.IntN(6), verdict(1+l.IntN(int(disconnect))))
	if j, err = i.play.job(ctx); err != nil {
		return err
	}
	if !j.Applies() {
		return l.compare(ctx, nil) // and may be approved of again
	}
	i.planned.waits, i.planned.applies = false, true
	aborts := stale && said.OnStale == job.StaleAborts
	if i.cloud.execution.token != "" { // nobody has told the execution
		i.begin(ctx, "reconcile", i.functions.reconcile.Run, i.background)
		i.drain(-1, proceed)
	}
	if err := l.execute(ctx, i); err != nil {
		return err
	}
	if j, err = i.play.job(ctx); err != nil {
		return err
	}
	if failed := j.Status == job.Failed; failed != aborts {
		l.say("%s is %s (%v), with stale rows: %t", i.name(), j.Status, j.Failure, stale)
	}
	return l.compare(ctx, nil)
}

// stale reports whether something that was planned is not what it was.
func (l *life) stale(r *rehearsal) bool {
	for _, rows := range r.chunks {
		if slices.ContainsFunc(rows, func(p history.Planned) bool { return l.world.Stale(&p) }) {
			return true
		}
	}
	return false
}

// foundStale reports whether a job failed because what it had planned is stale.
func foundStale(j *job.Job) bool {
	return j.Status == job.Failed && j.Failure != nil && j.Failure.Code == string(problem.PlanStale)
}

// outcomes are what must come of a chunk that is committed, in the model as well.
func (l *life) outcomes(i *imported, chunk int, rows []history.Row) []history.Outcome {
	switch {
	case i.planned == nil:
		return l.world.Write(i.job, i.table, rows)
	case i.planned.applies:
		return l.world.Apply(i.job, i.planned.chunks[chunk], i.planned.onStale == job.StaleOverwritten)
	}
	planned := l.world.Rehearse(i.job, i.table, rows)
	i.planned.chunks[chunk] = planned
	out := make([]history.Outcome, len(planned))
	for n := range planned {
		out[n] = planned[n].Outcome
	}
	return out
}

// applied is how many imports have written what they had planned.
func (l *life) applied() (n int) {
	for _, i := range l.imports {
		if i.planned != nil && i.job.Parts() > 0 {
			n++
		}
	}
	return n
}
