package process

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// commit runs the one transaction of the chunk and returns the attempt that was committed.
func (s *Step) commit(ctx context.Context, in *chunkInput, took *timings) (a *attempt, err error) {
	began := time.Now()
	err = s.store.InOrganisation(ctx, in.job.OrganisationID, func(tx pgx.Tx) (err error) {
		entered := time.Now()
		defer func() { took.write += time.Since(entered) }()
		a, err = s.tryCommit(ctx, tx, in)
		return err
	})
	took.commit = time.Since(began) - took.write
	if err == nil && a.stopped {
		ended := *in.job
		ended.Progress = a.progress // with the rows of this chunk and of those before it
		s.recorder.Record(ctx, &ended, job.Processing, job.Failed)
	}
	if err == nil && a.deferredFrom != "" {
		s.recorder.Record(ctx, in.job, a.deferredFrom, job.CellMapping)
	}
	return a, err
}

// tryCommit is one run of the transaction.
func (s *Step) tryCommit(ctx context.Context, tx pgx.Tx, in *chunkInput) (*attempt, error) {
	claimed, err := s.store.ClaimChunk(ctx, tx, in.job.Key, in.chunk.Index)
	if err != nil {
		return nil, err
	}
	if claimed.Done {
		return &attempt{chunkInput: in, progress: in.job.Progress}, nil
	}
	if err := s.checkPass(ctx, tx, in); err != nil {
		return nil, err
	}
	a, err := in.attempt(claimed)
	if err != nil {
		return nil, err
	}
	if !in.job.IsApplying() {
		if err := in.keyGroups.AdoptOutcomes(ctx, tx, s.store, a.outcomes); err != nil {
			return nil, err
		}
	}
	if err := s.writeCaptured(ctx, tx, a); err != nil {
		return nil, err
	}
	return a, s.saveAndAdvance(ctx, tx, a)
}
