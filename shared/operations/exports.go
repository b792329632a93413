package operations

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Export is an operator's view of an export.
type Export struct {
	ID             job.ExportID
	Organisation   tenant.ID
	ImportType     string
	Format         string
	Status         job.ExportStatus
	Records        int64
	CreatedAt      time.Time
	LastActivityAt time.Time // last activity of its function or its queue
	CompletedAt    *time.Time
	Requeues       int // how often its message was lost
	FailureCode    string
	Stuck          Stuck // NoProgress: not started for too long, or its writer has died
}

// ExportFilter narrows a list of exports; zero values match all.
type ExportFilter struct {
	Organisation tenant.ID
	Statuses     []job.ExportStatus
	Stuck        bool
	StuckAfter   time.Duration // idle time after which an export is stuck; set by the service
	job.Page
}

// Erasure is the erasure of a person that has begun and not ended: requesting it again resumes
// it.
type Erasure struct {
	Organisation tenant.ID
	Person       int64
	Changes      int64 // removed from change sets so far
	BeganAt      time.Time
}

// Exports lists exports of all organisations, the newest first, and their total number.
func (s *Service) Exports(ctx context.Context, f ExportFilter) (found []Export, total int64, err error) {
	f.StuckAfter = s.config.StuckAfter
	err = s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		found, total, err = s.Store.OperatorExports(ctx, tx, f)
		return err
	})
	return found, total, err
}

// RequeueExport queues an open export again. An export that is being written continues.
func (s *Service) RequeueExport(ctx context.Context, by string, id job.ExportID) (Requeued, error) {
	var e *Export
	err := s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		e, err = s.Store.OperatorExport(ctx, tx, id, s.config.StuckAfter)
		return err
	})
	if err != nil {
		return Requeued{}, err
	}
	if e.CompletedAt != nil {
		return Requeued{}, problem.New(problem.StateConflict, "Nothing to requeue: this export %s.", e.Status.Clause())
	}
	if err := s.Senders.SendExport(ctx, job.ExportRef{ExportID: e.ID, OrganisationID: e.Organisation}); err != nil {
		return Requeued{}, err
	}
	s.audit(ctx, "export requeued", by, "of_organisation", e.Organisation, "export_id", e.ID)
	return Requeued{Message: true}, nil
}

// Erasures lists the erasures that have not ended, the oldest first, and their total number.
func (s *Service) Erasures(ctx context.Context, p job.Page) (found []Erasure, total int64, err error) {
	err = s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		found, total, err = s.Store.OpenErasures(ctx, tx, p)
		return err
	})
	return found, total, err
}

// ExportNotFound is the error of an unknown export.
func ExportNotFound() error { return problem.New(problem.NotFound, "No export with this ID exists.") }
