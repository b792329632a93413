package analyze

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/callback"
)

// startProcessing starts the processing of a job without its own file. A retry of another import's
// rows has had its columns and values mapped since its creation; an undo has neither.
func (s *Step) startProcessing(ctx context.Context, ref job.Ref) (callback.Result, error) {
	var j *job.Job
	var from job.Status
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		from = ""
		if j, err = s.store.LockJob(ctx, tx, ref.JobID); err != nil || j.Status != job.Uploaded {
			return err
		}
		from, _, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.Processing, ExpectedFrom: job.Uploaded})
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("analyze: %w", err)
	}
	if from != "" {
		s.recorder.Record(ctx, j, from, job.Processing)
	}
	return nextResult(j, job.Processing), nil
}
