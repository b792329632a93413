package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// RequeueStore finds exports, imports and erasures of all organisations that have lost
// their queue message or make no progress.
type RequeueStore interface {
	Now(ctx context.Context) (time.Time, error)
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	ClaimLostExports(ctx context.Context, tx pgx.Tx, limit int) ([]job.ExportRef, error)
	EndLostExports(ctx context.Context, tx pgx.Tx, why job.Failure) ([]*job.Export, error)
	AddExportDelivery(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *job.Delivery, blind bool) error
	ClaimLostFetches(ctx context.Context, tx pgx.Tx, limit int) ([]*job.Job, error)
	ClaimLostErasures(ctx context.Context, tx pgx.Tx, limit int) ([]job.ErasureRef, error)
	ClaimOpenDeletions(ctx context.Context, tx pgx.Tx, limit int) ([]tenant.ID, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
}

// ExportQueue queues exports for the function that writes them.
type ExportQueue interface {
	SendExport(ctx context.Context, ref job.ExportRef) error
}

// FetchQueue queues jobs for the function that fetches their files.
type FetchQueue interface {
	SendFetch(ctx context.Context, ref job.Ref) error
}

// ErasureStarter starts the function that continues the erasure of a person or the deletion of an
// organisation.
type ErasureStarter interface {
	StartErasure(ctx context.Context, ref job.ErasureRef) error
	StartDeletion(ctx context.Context, organisation tenant.ID) error
}

// Queues are the ways of lost work to its functions.
type Queues struct {
	Exports  ExportQueue
	Fetches  FetchQueue
	Erasures ErasureStarter
}

// Requeuer queues work again that a failed request did not queue or that lost its message:
// exports, files to fetch, and persons to erase. Exports and fetches that have been lost for a
// day are ended with a reason. A duplicate message is harmless.
type Requeuer struct {
	store    RequeueStore
	queues   Queues
	recorder job.Recorder
	limit    int
	log      *slog.Logger
}

// NewRequeuer returns a Requeuer. The configuration limits how many items one run checks.
func NewRequeuer(store RequeueStore, queues Queues, recorder job.Recorder, c Config, log *slog.Logger) *Requeuer {
	return &Requeuer{store: store, queues: queues, recorder: recorder, limit: c.Limit, log: log}
}

// Run checks once. An error with one item does not stop the others.
func (l *Requeuer) Run(ctx context.Context) error {
	return errors.Join(l.requeueExports(ctx), l.requeueFetches(ctx), l.requeueErasures(ctx), l.startDeletions(ctx))
}

func (l *Requeuer) requeueExports(ctx context.Context) error {
	var lost []job.ExportRef
	var ended []*job.Export
	err := l.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		if ended, err = l.store.EndLostExports(ctx, tx, job.Failure{
			Code: string(problem.ExportFailed), Message: "The export could not be created within a day. Create it again.",
		}); err != nil {
			return err
		}
		if err := l.announceEnded(ctx, tx, ended); err != nil {
			return err
		}
		lost, err = l.store.ClaimLostExports(ctx, tx, l.limit)
		return err
	})
	if err != nil {
		return fmt.Errorf("reconcile exports: %w", err)
	}
	withExport := func(ref job.ExportRef) context.Context {
		return telemetry.With(ctx, "export_id", ref.ExportID, "organisation_id", ref.OrganisationID)
	}
	for _, e := range ended {
		l.log.ErrorContext(withExport(job.ExportRef{ExportID: e.ID, OrganisationID: e.OrganisationID}), "export failed by reconcile")
	}
	var faults []error
	for _, ref := range lost {
		l.log.WarnContext(withExport(ref), "export requeued by reconcile")
		faults = append(faults, l.queues.Exports.SendExport(ctx, ref))
	}
	return errors.Join(faults...)
}

// announceEnded queues webhook deliveries for exports that have ended.
func (l *Requeuer) announceEnded(ctx context.Context, tx pgx.Tx, ended []*job.Export) error {
	for _, e := range ended {
		delivery, err := outbox.ExportDelivery(e, *e.CompletedAt)
		if err == nil && delivery != nil {
			err = l.store.AddExportDelivery(ctx, tx, e.OrganisationID, delivery, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Requeuer) requeueFetches(ctx context.Context) error {
	var lost []*job.Job
	err := l.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		lost, err = l.store.ClaimLostFetches(ctx, tx, l.limit)
		return err
	})
	if err != nil {
		return fmt.Errorf("reconcile fetches: %w", err)
	}
	if len(lost) == 0 {
		return nil
	}
	now, err := l.store.Now(ctx)
	if err != nil {
		return fmt.Errorf("reconcile fetches: %w", err)
	}
	var faults []error
	for _, j := range lost {
		faults = append(faults, l.requeueFetch(telemetry.WithJob(telemetry.Scope(ctx), j), j, now))
	}
	return errors.Join(faults...)
}

// fetchTimeout is the time after which fetching a file is abandoned.
const fetchTimeout = 24 * time.Hour

func (l *Requeuer) requeueFetch(ctx context.Context, j *job.Job, now time.Time) error {
	if now.Sub(j.CreatedAt) <= fetchTimeout {
		l.log.WarnContext(ctx, "fetch requeued by reconcile")
		return l.queues.Fetches.SendFetch(ctx, job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID})
	}
	var ended bool
	err := l.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		_, ended, err = l.store.Transition(ctx, tx, j.Key, job.Transition{
			To: job.Failed, ExpectedFrom: job.Uploaded,
			Failure: &job.Failure{Code: string(problem.FetchFailed), Message: "The file could not be fetched within a day."},
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("reconcile job %s: %w", j.ID, err)
	}
	if ended {
		l.recorder.Record(ctx, j, job.Uploaded, job.Failed)
	}
	return nil
}
