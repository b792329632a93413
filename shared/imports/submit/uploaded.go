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
	_, err := s.HandleCreated(ctx, ref)
	return err
}

// HandleCreated is HandleUploaded, and returns the object if it is of no use: its job has ended
// before a file arrived, or because of this file. Otherwise the addresses of cancelled imports
// would be storage that no quota counts.
func (s *Service) HandleCreated(ctx context.Context, ref job.Ref) (useless *object.Version, err error) {
	key := SourceKey(ref.OrganisationID, ref.JobID)
	info, err := s.objects.Head(ctx, key)
	if problem.CodeOf(err) == problem.UploadMissing {
		s.log.InfoContext(ctx, "object of event not found", "job_id", ref.JobID)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read object of job %s: %w", ref.JobID, err)
	}
	a := uploadEvent{service: s, file: info}
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error { return a.record(ctx, tx, ref.JobID) })
	if problem.CodeOf(err) == problem.NotFound {
		s.log.InfoContext(ctx, "object does not belong to a job yet", "job_id", ref.JobID)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ctx = telemetry.WithJob(ctx, a.job)
	if a.failed {
		s.recorder.Record(ctx, a.job, job.Uploaded, job.Failed)
	}
	if a.failed || a.job.Status.Terminal() && a.job.UploadedAt == nil {
		return &object.Version{Key: key, Size: info.Size, ETag: info.ETag}, nil
	}
	return nil, s.startExecution(ctx, a.job)
}

// uploadEvent is the transaction of HandleCreated; record may run more than once.
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
