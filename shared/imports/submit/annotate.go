package submit

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Annotate accepts an export that returns the file of an import with its invalid cells
// marked. While one is in progress, no other is created.
func (s *Exports) Annotate(ctx context.Context, j *job.Job, dialect *sheet.Dialect, d *entity.Declaration, requestID string) (*AcceptedExport, error) {
	switch {
	case !j.Status.Terminal():
		return nil, problem.New(problem.StillRunning, "The import is not finished yet.")
	case j.RowRetry:
		return nil, problem.New(problem.StateConflict, "This import retries rows of import %s and has no file of its own.", j.RetryOf)
	case j.FilesDue:
		return nil, problem.New(problem.SourceGone, fileGone)
	case dialect.Format != sheet.XLSX:
		return nil, problem.New(problem.StateConflict, "Only .xlsx files can be annotated. Download the rows with errors of import %s instead.", j.ID)
	case j.Progress.Counts.Errored == 0:
		return nil, problem.New(problem.StateConflict, "This import has no rows with errors.")
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("create export ID: %w", err)
	}
	var open *job.Export
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		open, err = s.store.AnnotatedExport(ctx, tx, j.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if open != nil && !open.Status.Terminal() {
		return &AcceptedExport{Export: open, Repeated: true}, nil
	}
	e, err := s.create(ctx, ExportRequest{
		OrganisationID: j.OrganisationID, RequestID: requestID, Type: d, Format: export.XLSX, Filters: []byte("{}"), annotatedJob: j.ID,
	}, job.ExportID(id.String()))
	if err != nil {
		return nil, err
	}
	return &AcceptedExport{Export: e}, nil
}
