package operations

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Export is an export as an operator sees it.
type Export struct {
	ID             job.ExportID
	Organisation   tenant.ID
	ImportType     string
	Format         string
	Status         job.ExportStatus
	Records        int64
	CreatedAt      time.Time
	LastActivityAt time.Time // when its function, or its queue, was last at it
	CompletedAt    *time.Time
	Requeues       int // how often its message was lost
	FailureCode    string
	Stuck          Stuck // NoProgress: nobody has begun to write it for long, or who writes it is gone
}

// ExportFilter narrows a list of exports; zero values match all.
type ExportFilter struct {
	Organisation tenant.ID
	Statuses     []job.ExportStatus
	Stuck        bool
	StuckAfter   time.Duration // after which waiting is standing still; the service sets it
	Page
}

// Erasure is a person's that has begun and not ended: it goes on when it is asked for again.
type Erasure struct {
	Organisation tenant.ID
	Person       int64
	Changes      int64 // that were removed from change sets by now
	BeganAt      time.Time
}

// Exports lists exports of all organisations, the newest first, and how many there are.
func (s *Service) Exports(ctx context.Context, f ExportFilter) (found []Export, total int64, err error) {
	f.StuckAfter = s.config.StuckAfter
	err = s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		found, total, err = s.Store.OperatorExports(ctx, tx, f)
		return err
	})
	return found, total, err
}

// RequeueExport queues an export that is open again. One that is being written already is
// left to who writes it.
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
		return Requeued{}, problem.New(problem.StateConflict, "There is nothing to bring again: this export %s.", e.Status.Clause())
	}
	if err := s.Senders.SendExport(ctx, job.ExportRef{ExportID: e.ID, OrganisationID: e.Organisation}); err != nil {
		return Requeued{}, err
	}
	s.audit(ctx, "export brought again", by, "of_organisation", e.Organisation, "export_id", e.ID)
	return Requeued{Message: true}, nil
}

// Erasures lists the erasures that have not ended, the oldest first, and how many there are.
func (s *Service) Erasures(ctx context.Context, p Page) (found []Erasure, total int64, err error) {
	err = s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		found, total, err = s.Store.OpenErasures(ctx, tx, p)
		return err
	})
	return found, total, err
}

// ExportNotFound says that there is no such export.
func ExportNotFound() error { return problem.New(problem.NotFound, "There is no export with this id.") }
