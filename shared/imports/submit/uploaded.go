package submit

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// UploadStore records that files have arrived.
type UploadStore interface {
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	MarkUploaded(ctx context.Context, tx pgx.Tx, key job.Key, file object.Info) error
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (from job.Status, ok bool, err error)
}

// HandleUploaded records that the object of a job is stored, and starts the execution. It
// may be called late, twice, or for a job that does not exist:
//
//   - The job does not exist: the request that stored the object is about to create it and
//     will start it; or that request failed, and its repetition will.
//   - The job has moved on or has ended: there is nothing to do.
//   - The job is recorded as uploaded but has not moved: the process that recorded it may
//     have failed before it started the execution.
func (s *Service) HandleUploaded(ctx context.Context, ref job.Ref) error {
	info, err := s.objects.Head(ctx, SourceKey(ref.OrganisationID, ref.JobID))
	if problem.CodeOf(err) == problem.UploadMissing {
		s.log.InfoContext(ctx, "object of event not found", "job_id", ref.JobID)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read object of job %s: %w", ref.JobID, err)
	}
	a := uploadEvent{service: s, file: info}
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error { return a.record(ctx, tx, ref.JobID) })
	if problem.CodeOf(err) == problem.NotFound {
		s.log.InfoContext(ctx, "object does not belong to a job yet", "job_id", ref.JobID)
		return nil
	}
	if err != nil {
		return err
	}
	ctx = telemetry.WithJob(ctx, a.job)
	if a.failed {
		s.recorder.Record(ctx, a.job, job.Uploaded, job.Failed)
		return nil
	}
	return s.startExecution(ctx, a.job)
}

// uploadEvent is the transaction of HandleUploaded; note may run more than once.
type uploadEvent struct {
	service *Service
	file    object.Info
	job     *job.Job
	failed  bool
}

func (a *uploadEvent) record(ctx context.Context, tx pgx.Tx, id job.ID) (err error) {
	store := a.service.store
	a.failed = false
	if a.job, err = store.LockJob(ctx, tx, id); err != nil {
		return err
	}
	if a.job.Status != job.Uploaded || a.job.UploadedAt != nil {
		return nil
	}
	if a.file.Size != a.job.SizeBytes {
		_, a.failed, err = store.Transition(ctx, tx, a.job.Key, job.Transition{To: job.Failed, Failure: SizeMismatch(a.job, a.file.Size)})
		return err
	}
	return store.MarkUploaded(ctx, tx, a.job.Key, a.file)
}

// SizeMismatch is the failure of a job if the size of its file differs from the announced one.
func SizeMismatch(j *job.Job, arrived int64) *job.Failure {
	return &job.Failure{
		Code:    string(problem.SizeMismatch),
		Message: fmt.Sprintf("The announced size is %d bytes, but the uploaded file has %d.", j.SizeBytes, arrived),
	}
}
