package fetch

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store keeps jobs and where their files are.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Source(ctx context.Context, tx pgx.Tx, j *job.Job) (url string, err error)
	Measured(ctx context.Context, tx pgx.Tx, j *job.Job, size int64) (bool, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
}

// Arrivals starts jobs whose file is stored.
type Arrivals interface {
	Arrived(ctx context.Context, ref job.Ref) error
}

// Books is the Ledger that the database keeps.
type Books struct {
	store    Store
	arrivals Arrivals
	recorder job.Recorder
	log      *slog.Logger
}

// NewBooks returns the ledger.
func NewBooks(store Store, arrivals Arrivals, recorder job.Recorder, log *slog.Logger) *Books {
	return &Books{store: store, arrivals: arrivals, recorder: recorder, log: log}
}

// Begin implements Ledger.
func (b *Books) Begin(ctx context.Context, ref job.Ref) (o Order, err error) {
	err = b.onJob(ctx, ref, func(ctx context.Context, tx pgx.Tx, j *job.Job) error {
		switch {
		case j.Status != job.Uploaded:
			return nil
		case j.UploadedAt != nil:
			o = Order{State: Stored}
			return nil
		}
		address, err := b.store.Source(ctx, tx, j)
		o = Order{State: Wanted, Address: address, ObjectKey: j.ObjectKey, ContentType: j.ContentType}
		return err
	})
	return o, err
}

// Measured implements Ledger.
func (b *Books) Measured(ctx context.Context, ref job.Ref, size int64) (wanted bool, err error) {
	err = b.onJob(ctx, ref, func(ctx context.Context, tx pgx.Tx, j *job.Job) (err error) {
		wanted, err = b.store.Measured(ctx, tx, j, size)
		return err
	})
	return wanted, err
}

// Arrived implements Ledger.
func (b *Books) Arrived(ctx context.Context, ref job.Ref) error { return b.arrivals.Arrived(ctx, ref) }

// Fail implements Ledger.
func (b *Books) Fail(ctx context.Context, ref job.Ref, why job.Failure) error {
	var failed *job.Job
	err := b.onJob(ctx, ref, func(ctx context.Context, tx pgx.Tx, j *job.Job) error {
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

// onJob does something with a job; nothing, where the job is gone.
func (b *Books) onJob(ctx context.Context, ref job.Ref, do func(context.Context, pgx.Tx, *job.Job) error) error {
	err := b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := b.store.Job(ctx, tx, ref.JobID)
		if err != nil {
			return err
		}
		return do(telemetry.WithJob(ctx, j), tx, j)
	})
	if problem.CodeOf(err) == problem.NotFound {
		b.log.WarnContext(ctx, "the job is gone", "job_id", ref.JobID)
		return nil
	}
	if err != nil {
		return fmt.Errorf("file of job %s: %w", ref.JobID, err)
	}
	return nil
}
