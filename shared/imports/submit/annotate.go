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

// Annotate takes on giving the file of an import back with its wrong cells marked, which
// is an export. While one is on its way, there is no other.
func (s *Exports) Annotate(ctx context.Context, j *job.Job, dialect *sheet.Dialect, d *entity.Declaration, requestID string) (*AcceptedExport, error) {
	switch {
	case !j.Status.Terminal():
		return nil, problem.New(problem.StillRunning, "The import has not ended yet.")
	case j.RowRetry:
		return nil, problem.New(problem.StateConflict, "This import brings rows of the import %s again, and has no file of its own.", j.RetryOf)
	case j.FilesDue:
		return nil, problem.New(problem.SourceGone, fileGone)
	case dialect.Format != sheet.XLSX:
		return nil, problem.New(problem.StateConflict, "Only an .xlsx workbook can be given back with marks. The failed rows are at GET /api/imports/%s/errors.xlsx.", j.ID)
	case j.Progress.Counts.Errored == 0:
		return nil, problem.New(problem.StateConflict, "No row of this import is in error.")
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("new export id: %w", err)
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
