package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/telemetry"
)

// deleteImport is DELETE /api/imports/{uuid}: it cancels the job.
func (a *api) deleteImport(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.cancel(r, jobID(r, "uuid")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// tooLate is the answer for a job that can no longer be cancelled.
func tooLate(status job.Status) error {
	if status == job.Processing {
		return problem.New(problem.StateConflict, "All rows of this import are written; it is about to complete.")
	}
	return problem.New(problem.StateConflict, "This import has already ended as %s.", status)
}

// stopping is how long the execution of a cancelled job may take to stop before
// the caller is answered without.
const stopping = 5 * time.Second

// cancel ends a job. It is final once the status is committed: a chunk that has
// not committed by then never does; and a job whose last chunk has is not cancelled
// any more. Stopping the execution only saves work.
func (a *api) cancel(r *http.Request, id string) (*job.Job, error) {
	var j *job.Job
	var from job.Status
	err := a.read(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		if j, err = a.DB.Job(ctx, tx, id); err != nil {
			return err
		}
		var moved bool
		if from, moved, err = a.DB.Transit(ctx, tx, j.ID, job.Transition{To: job.Cancelled}); err != nil {
			return err
		}
		j, err = a.DB.Job(ctx, tx, id)
		if err == nil && !moved {
			return tooLate(j.Status)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	ctx := telemetry.WithJob(r.Context(), j)
	a.Recorder.Record(ctx, j, from, job.Cancelled)
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), stopping)
	defer done()
	if err := a.Stopper.Stop(ctx, j.UUID, "cancelled by the caller"); err != nil {
		a.Log.WarnContext(ctx, "the execution of a cancelled job is not stopped", "error", err)
	}
	return j, nil
}
