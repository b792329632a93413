package process

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// exceedsErrorLimit reports whether the rows that cannot be taken, with those of the chunks
// before, are more than the import allows: nothing else of the chunk is then tried.
func (a *attempt) exceedsErrorLimit() bool {
	if a.job.MaxErrors == "" {
		return false
	}
	errored := a.job.Progress.Counts.Errored + job.CountOutcomes(a.outcomes).Errored - a.before.Errored
	return a.job.MaxErrors.Exceeded(errored, a.job.Progress.TotalRows)
}

// stopAtErrorLimit ends the job where more rows are in error than it allows, and some are left: the
// execution ends it where none are. It is part of the chunk's transaction: no other chunk commits after it. What is written
// stays, as when an import is cancelled.
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
