package fetch

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store reads and updates jobs and the locations of their files.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	SourceURL(ctx context.Context, tx pgx.Tx, j *job.Job) (url string, err error)
	SaveFileSize(ctx context.Context, tx pgx.Tx, j *job.Job, size int64) (bool, error)
	TakeSlot(ctx context.Context, tx pgx.Tx, organisation tenant.ID, s quota.Slot) (uuid.UUID, error)
	ReleaseSlot(ctx context.Context, tx pgx.Tx, id uuid.UUID) error
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
}

// Arrivals starts jobs after their files have been stored.
type Arrivals interface {
	HandleUploaded(ctx context.Context, ref job.Ref) error
}

// StoreBackend implements Backend on the database.
type StoreBackend struct {
	store    Store
	arrivals Arrivals
	recorder job.Recorder
	log      *slog.Logger
}

// NewStoreBackend returns the backend.
func NewStoreBackend(store Store, arrivals Arrivals, recorder job.Recorder, log *slog.Logger) *StoreBackend {
	return &StoreBackend{store: store, arrivals: arrivals, recorder: recorder, log: log}
}

// Begin implements Backend.
func (b *StoreBackend) Begin(ctx context.Context, ref job.Ref) (o Download, err error) {
	err = b.withJob(ctx, ref, func(ctx context.Context, tx pgx.Tx, j *job.Job) error {
		switch {
		case j.Status != job.Uploaded:
			return nil
		case j.UploadedAt != nil:
			o = Download{State: Stored}
			return nil
		}
		slot, err := b.store.TakeSlot(ctx, tx, ref.OrganisationID, quota.FetchSlot)
		if err != nil {
			return err
		}
		if slot == uuid.Nil {
			o = Download{State: Busy}
			return nil
		}
		address, err := b.store.SourceURL(ctx, tx, j)
		o = Download{State: Wanted, Address: address, ObjectKey: j.ObjectKey, ContentType: j.ContentType, Slot: slot}
		return err
	})
	return o, err
}

// Release implements Backend.
func (b *StoreBackend) Release(ctx context.Context, ref job.Ref, slot uuid.UUID) error {
	return b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error { return b.store.ReleaseSlot(ctx, tx, slot) })
}

// RecordSize implements Backend.
func (b *StoreBackend) RecordSize(ctx context.Context, ref job.Ref, size int64) (wanted bool, err error) {
	err = b.withJob(ctx, ref, func(ctx context.Context, tx pgx.Tx, j *job.Job) (err error) {
		wanted, err = b.store.SaveFileSize(ctx, tx, j, size)
		return err
	})
	return wanted, err
}

// HandleUploaded implements Backend.
func (b *StoreBackend) HandleUploaded(ctx context.Context, ref job.Ref) error {
	return b.arrivals.HandleUploaded(ctx, ref)
}

// Fail implements Backend.
func (b *StoreBackend) Fail(ctx context.Context, ref job.Ref, why job.Failure) error {
	var failed *job.Job
	err := b.withJob(ctx, ref, func(ctx context.Context, tx pgx.Tx, j *job.Job) error {
		_, changed, err := b.store.Transition(ctx, tx, j.Key, job.Transition{To: job.Failed, ExpectedFrom: job.Uploaded, Failure: &why})
		if failed = nil; changed {
			failed = j
		}
		return err
	})
	if err == nil && failed != nil {
		b.recorder.Record(ctx, failed, job.Uploaded, job.Failed)
	}
	return err
}

// withJob calls do with a job; if the job no longer exists, it does nothing.
func (b *StoreBackend) withJob(ctx context.Context, ref job.Ref, do func(context.Context, pgx.Tx, *job.Job) error) error {
	err := b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := b.store.Job(ctx, tx, ref.JobID)
		if err != nil {
			return err
		}
		return do(telemetry.WithJob(ctx, j), tx, j)
	})
	if problem.CodeOf(err) == problem.NotFound {
		b.log.WarnContext(ctx, "job not found", "job_id", ref.JobID)
		return nil
	}
	if err != nil {
		return fmt.Errorf("load file of job %s: %w", ref.JobID, err)
	}
	return nil
}
