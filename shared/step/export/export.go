// Package export writes the file of an export. Rows are streamed from a database cursor through
// the file format into the object store, in constant memory. Returning the file of an import
// with marked errors is an export, too.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	files "github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Store reads and updates exports.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Export(ctx context.Context, tx pgx.Tx, id job.ExportID) (*job.Export, error)
	StartExport(ctx context.Context, tx pgx.Tx, id job.ExportID) (bool, error)
	SaveExportProgress(ctx context.Context, tx pgx.Tx, id job.ExportID, records int64) (bool, error)
	CompleteExport(ctx context.Context, tx pgx.Tx, id job.ExportID, records, size int64) (bool, error)
	EndExport(ctx context.Context, tx pgx.Tx, id job.ExportID, status job.ExportStatus, why *job.Failure) (bool, error)
	AddExportDelivery(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *job.Delivery, blind bool) error
	Imports
	Organisations
}

// Objects creates files, and opens those of imports.
type Objects interface {
	Open(ctx context.Context, v object.Version) sheet.Source
	Create(ctx context.Context, key, contentType string) object.Writer
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
	TypesOf(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]entity.Type, error)
}

// Step is the export function.
type Step struct {
	store   Store
	objects Objects
	types   Types
	log     *slog.Logger
}

// New returns the step.
func New(store Store, objects Objects, types Types, log *slog.Logger) *Step {
	return &Step{store: store, objects: objects, types: types, log: log}
}

// errCancelled ends an export that has been cancelled.
var errCancelled = errors.New("the export was cancelled or deleted")

// Run writes an export. nil means that its message can be deleted; running an export that has
// ended changes nothing.
func (s *Step) Run(ctx context.Context, ref job.ExportRef) error {
	began := time.Now()
	e, err := s.start(ctx, ref)
	if problem.CodeOf(err) == problem.NotFound || errors.Is(err, errCancelled) {
		s.log.InfoContext(ctx, "export skipped: finished or deleted", "export_id", ref.ExportID)
		return nil
	}
	if err != nil {
		return fmt.Errorf("export %s: %w", ref.ExportID, err)
	}
	ctx = telemetry.With(ctx, "export_id", e.ID, "organisation_id", e.OrganisationID, "request_id", e.RequestID)
	records, err := s.writeBeforeDeadline(ctx, e)
	switch {
	case errors.Is(err, errCancelled):
		s.log.InfoContext(ctx, "export stopped: cancelled")
		return nil
	case err != nil && problem.CodeOf(err) != problem.Internal:
		return s.endExport(ctx, ref, problem.From(err))
	case err != nil:
		return fmt.Errorf("export %s: %w", ref.ExportID, err)
	}
	took := max(time.Since(began), time.Millisecond)
	s.log.InfoContext(ctx, "export completed", "import_type", e.ImportType, "format", e.Format, "total_records", records,
		"duration_ms", took.Milliseconds(), "rows_per_sec", int64(float64(records)/took.Seconds()))
	return nil
}

// Fail ends an export after its last retry has failed.
func (s *Step) Fail(ctx context.Context, ref job.ExportRef) error {
	return s.endExport(ctx, ref, problem.New(problem.ExportFailed, "The export failed several times. Try again; if the error persists, send the request ID to support."))
}

func (s *Step) start(ctx context.Context, ref job.ExportRef) (e *job.Export, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		wanted, err := s.store.StartExport(ctx, tx, ref.ExportID)
		if err != nil {
			return err
		}
		if !wanted {
			return errCancelled
		}
		e, err = s.store.Export(ctx, tx, ref.ExportID)
		return err
	})
	return e, err
}

// cleanupReserve is the part of the function's time that is reserved for cleaning up.
const cleanupReserve = 15 * time.Second

// writeBeforeDeadline writes the file within the function's remaining time.
func (s *Step) writeBeforeDeadline(ctx context.Context, e *job.Export) (int64, error) {
	if end, ok := ctx.Deadline(); ok {
		late := lateError(e, time.Until(end).Round(time.Minute))
		bounded, cancel := context.WithDeadlineCause(ctx, end.Add(-cleanupReserve), late)
		defer cancel()
		ctx = bounded
	}
	records, err := s.write(ctx, e)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return records, errors.Join(cause, err)
	}
	return records, err
}

// lateError is the error of an export that took too long.
func lateError(e *job.Export, limit time.Duration) error {
	if files.Format(e.Format) == files.Archive {
		return problem.New(problem.ExportTooLarge, "The export took longer than %s. Try again after the original files of large imports were purged, and export large types on their own.", limit)
	}
	return problem.New(problem.ExportTooLarge, "The export took longer than %s. Use filters, fewer fields, or the format CSV or NDJSON.", limit)
}

// write writes the file and completes the export.
func (s *Step) write(ctx context.Context, e *job.Export) (records int64, err error) {
	var typ entity.Type
	archives := files.Format(e.Format) == files.Archive
	if !archives {
		if typ, err = s.types.Type(ctx, nil, e.OrganisationID, e.ImportType, e.TypeVersion); err != nil {
			return 0, err
		}
	}
	object := s.objects.Create(ctx, e.ObjectKey, files.Format(e.Format).ContentType())
	switch {
	case archives:
		records, err = s.archive(ctx, e, object)
	case e.Annotates != "":
		records, err = s.annotate(ctx, e, object)
	default:
		records, err = s.copyRows(ctx, e, typ, object)
	}
	if err != nil {
		return records, object.Abort(err)
	}
	if err := object.Complete(); err != nil {
		return records, object.Abort(err)
	}
	return records, s.guardedUpdate(ctx, e, func(tx pgx.Tx) (bool, error) {
		completed, err := s.store.CompleteExport(ctx, tx, e.ID, records, object.Size())
		if err != nil || !completed {
			return completed, err
		}
		return true, s.addDelivery(ctx, tx, e.ID, e.OrganisationID)
	})
}

// copyRows writes all rows in one consistent snapshot.
func (s *Step) copyRows(ctx context.Context, e *job.Export, typ entity.Type, dst io.Writer) (records int64, err error) {
	d := typ.Declaration()
	selection, err := files.Select(d, e.Fields, e.Filters)
	if err != nil {
		return 0, err
	}
	w, err := files.NewWriter(files.Format(e.Format), dst, files.Fields(d, selection))
	if err != nil {
		return 0, err
	}
	began := false
	err = s.store.InOrganisation(ctx, e.OrganisationID, func(tx pgx.Tx) (err error) {
		if began {
			return errors.New("transaction lost before the end") // the rows already written cannot be removed
		}
		began = true
		return entity.WithCurrent(ctx, tx, typ, func(entity.Type, []string) error {
			records, err = files.WriteRows(ctx, tx, d, selection, w, func(rows int64) error {
				return s.saveProgress(ctx, e, rows)
			})
			return err
		})
	})
	if err != nil {
		return records, errors.Join(err, w.Discard())
	}
	return records, w.Close()
}

// progressEvery is the number of rows between progress updates.
const progressEvery = 20_000

// saveProgress saves the progress in its own transaction, and detects a cancellation.
func (s *Step) saveProgress(ctx context.Context, e *job.Export, rows int64) error {
	if rows%progressEvery != 0 {
		return nil
	}
	return s.guardedUpdate(ctx, e, func(tx pgx.Tx) (bool, error) {
		return s.store.SaveExportProgress(ctx, tx, e.ID, rows)
	})
}

// guardedUpdate runs a guarded update. If no row was updated, it returns errCancelled.
func (s *Step) guardedUpdate(ctx context.Context, e *job.Export, update func(pgx.Tx) (bool, error)) error {
	return s.store.InOrganisation(ctx, e.OrganisationID, func(tx pgx.Tx) error {
		wanted, err := update(tx)
		if err == nil && !wanted {
			return errCancelled
		}
		return err
	})
}

// addDelivery queues the webhook delivery in the transaction that ends the export.
func (s *Step) addDelivery(ctx context.Context, tx pgx.Tx, id job.ExportID, organisation tenant.ID) error {
	e, err := s.store.Export(ctx, tx, id)
	if err != nil {
		return err
	}
	delivery, err := outbox.ExportDelivery(e, *e.CompletedAt)
	if err != nil || delivery == nil {
		return err
	}
	return s.store.AddExportDelivery(ctx, tx, organisation, delivery, false)
}

func (s *Step) endExport(ctx context.Context, ref job.ExportRef, why *problem.Error) error {
	var ended bool
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		ended, err = s.store.EndExport(ctx, tx, ref.ExportID, job.ExportFailed, &job.Failure{Code: string(why.Code), Message: why.Message})
		if err != nil || !ended {
			return err
		}
		return s.addDelivery(ctx, tx, ref.ExportID, ref.OrganisationID)
	})
	if err != nil {
		return fmt.Errorf("export %s failed: %w", ref.ExportID, err)
	}
	if ended {
		s.log.WarnContext(ctx, "export failed", "export_id", ref.ExportID, "code", why.Code, "error", why)
	}
	return nil
}
