package process

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows/keygroup"
)

// Ledger stores the outcomes of chunks. A claim locks a chunk until the transaction ends.
type Ledger interface {
	ClaimChunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error)
	ClaimChunkOfRow(ctx context.Context, tx pgx.Tx, key job.Key, row int64) (*job.Chunk, error)
	SaveOutcomes(ctx context.Context, tx pgx.Tx, c *job.Chunk) error
	keygroup.Store
}

// displace sets the new outcome of rows that lost their entity to an earlier row of the file, in
// any chunk.
func (s *Step) displace(ctx context.Context, tx pgx.Tx, a *attempt, displaced []entity.Displaced) error {
	for _, d := range displaced {
		outcome := rowwrite.Errored
		if d.Skipped {
			outcome = rowwrite.Skipped
		}
		a.addResult(d.Row, outcome, []rowwrite.Error{d.Err})
		if before, decides := a.outcome(d.Row); decides {
			a.inherit(d, before)
			a.setOutcome(d.Row, outcome)
			continue
		}
		other, err := s.store.ClaimChunkOfRow(ctx, tx, a.job.Key, d.Row)
		if problem.CodeOf(err) == problem.NotFound {
			continue // the row was written by a job without a ledger
		}
		if err != nil {
			return err
		}
		before := job.CountOutcomes(other.Outcomes)
		a.inherit(d, rowwrite.Outcome(other.Outcomes[d.Row-other.FirstRow]))
		other.Outcomes[d.Row-other.FirstRow] = byte(outcome)
		if err := s.store.SaveOutcomes(ctx, tx, other); err != nil {
			return err
		}
		a.delta = a.delta.Add(job.CountOutcomes(other.Outcomes).Sub(before))
	}
	return nil
}

// inherit gives a row the outcome of the row that it displaces.
func (a *attempt) inherit(d entity.Displaced, outcome rowwrite.Outcome) {
	if d.Holder != 0 {
		a.setOutcome(d.Holder, outcome)
	}
}
