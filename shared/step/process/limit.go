package process

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// exceedsErrorLimit reports whether the rejected rows, together with those of previous chunks,
// exceed the import's limit. Nothing else of the chunk is attempted then.
func (a *attempt) exceedsErrorLimit() bool {
	if a.job.MaxErrors == "" {
		return false
	}
	errored := a.job.Progress.Counts.Errored + job.CountOutcomes(a.outcomes).Errored - a.before.Errored
	return a.job.MaxErrors.Exceeded(errored, a.job.Progress.TotalRows)
}

// stopAtErrorLimit ends the job if it exceeds its error limit and has rows left; with none left,
// the execution ends it. It is part of the chunk's transaction, so no other chunk commits after
// it. Written rows remain, as after a cancellation.
func (s *Step) stopAtErrorLimit(ctx context.Context, tx pgx.Tx, a *attempt) (err error) {
	p := a.progress
	if p.RowsDone() && p.Counts.Deferred == 0 || !a.job.MaxErrors.Exceeded(p.Counts.Errored, p.TotalRows) {
		return nil
	}
	_, a.stopped, err = s.store.Transition(ctx, tx, a.job.Key, job.Transition{
		To: job.Failed, ExpectedFrom: job.Processing, Failure: a.job.MaxErrors.Failure(string(problem.TooManyErrors), p),
	})
	return err
}
