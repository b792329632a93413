package simulation

import (
	"context"
	"slices"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/simulation/history"
)

// plannedImport is a planned import: the changes of its chunks, and whether it has been approved.
type plannedImport struct {
	chunks         map[int][]history.PlannedRow
	awaitsApproval bool
	approved       bool
	onStale        job.StalePolicy
}

// drawPlan decides whether an import is planned. Files with several rows about the same entity are
// not planned.
func (l *workload) drawPlan(rows []history.Row) *plannedImport {
	if l.IntN(3) > 0 || slices.ContainsFunc(rows, func(r history.Row) bool { return r.SharesKey }) {
		return nil
	}
	return &plannedImport{chunks: make(map[int][]history.PlannedRow)}
}

// approvePlan approves a plan, even if its entities have changed since. The response may be lost,
// and the approval repeated.
func (l *workload) approvePlan(ctx context.Context, i *workloadJob) error {
	i.planned.onStale = []job.StalePolicy{job.SkipStale, job.AbortOnStale, job.OverwriteStale}[l.IntN(3)]
	j, err := i.importRun.job(ctx)
	if err != nil {
		return err
	}
	approval := review.Approval{Digest: j.Plan.Digest, OnStale: i.planned.onStale, By: "lived"}
	stale := l.isStale(i.planned)
	l.record("%s is approved of, %s, stale %t", i.name(), approval.OnStale, stale)
	i.begin(ctx, "approves", func(ctx context.Context) error {
		_, err := i.functions.review.Apply(ctx, i.ref, approval)
		return err
	}, i.finishTask)
	i.drain(l.IntN(6), taskFault(1+l.IntN(int(loseConnection))))
	if j, err = i.importRun.job(ctx); err != nil {
		return err
	}
	if !j.IsApplying() {
		return l.compare(ctx, nil) // and may be approved again
	}
	i.planned.awaitsApproval, i.planned.approved = false, true
	aborts := stale && approval.OnStale == job.AbortOnStale
	if i.cloud.execution.token != "" { // the execution has not been notified
		i.begin(ctx, "reconcile", i.functions.reconcile.Run, i.background)
		i.drain(-1, proceed)
	}
	if err := l.runExecution(ctx, i); err != nil {
		return err
	}
	if j, err = i.importRun.job(ctx); err != nil {
		return err
	}
	if failed := j.Status == job.Failed; failed != aborts {
		l.report("%s is %s (%v), with stale rows: %t", i.name(), j.Status, j.Failure, stale)
	}
	return l.compare(ctx, nil)
}

// isStale reports whether any planned change is stale.
func (l *workload) isStale(r *plannedImport) bool {
	for _, rows := range r.chunks {
		if slices.ContainsFunc(rows, func(p history.PlannedRow) bool { return l.model.IsStale(&p) }) {
			return true
		}
	}
	return false
}

// failedAsStale reports whether a job failed because its plan is stale.
func failedAsStale(j *job.Job) bool {
	return j.Status == job.Failed && j.Failure != nil && j.Failure.Code == string(problem.PlanStale)
}

// expectOutcomes applies a committed chunk to the model, and returns the expected outcomes.
func (l *workload) expectOutcomes(i *workloadJob, chunk int, rows []history.Row) []history.Outcome {
	switch {
	case i.planned == nil:
		return l.model.Write(i.job, i.table, rows)
	case i.planned.approved:
		return l.model.Apply(i.job, i.planned.chunks[chunk], i.planned.onStale == job.OverwriteStale)
	}
	planned := l.model.Plan(i.job, i.table, rows)
	i.planned.chunks[chunk] = planned
	out := make([]history.Outcome, len(planned))
	for n := range planned {
		out[n] = planned[n].Outcome
	}
	return out
}

// countApplied returns the number of plans that were applied.
func (l *workload) countApplied() (n int) {
	for _, i := range l.imports {
		if i.planned != nil && i.job.Parts() > 0 {
			n++
		}
	}
	return n
}
