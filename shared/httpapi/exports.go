package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Exports accepts exports.
type Exports interface {
	Accept(ctx context.Context, r submit.ExportRequest) (*submit.AcceptedExport, error)
	Archive(ctx context.Context, r submit.ExportRequest) (*submit.AcceptedExport, error)
	Annotate(ctx context.Context, j *job.Job, dialect *sheet.Dialect, d *entity.Declaration, requestID string) (*submit.AcceptedExport, error)
}

// Downloads provides access to finished files.
type Downloads interface {
	// Size returns UPLOAD_MISSING if the file does not exist.
	Size(ctx context.Context, key string) (int64, error)
	// Head returns UPLOAD_MISSING if the file does not exist.
	Head(ctx context.Context, key string) (object.Info, error)
	PresignGet(ctx context.Context, key, disposition string, lifetime time.Duration) (string, error)
	// Create begins a file for download.
	Create(ctx context.Context, key, contentType string) object.Writer
}

// exportRoutes lists the operations on exports.
func (a *api) exportRoutes() []route {
	return []route{
		{"GET", "/v1/exports", scopeExportsRead, a.streamExport},
		{"POST", "/v1/exports", scopeExportsWrite, withoutQuery(a.createExport)},
		{"GET", "/v1/exports/{exportId}", scopeExportsRead, withoutQuery(a.getExport)},
		{"GET", "/v1/exports/{exportId}/download", scopeExportsRead, withQuery(a.downloadExport, parameterRedirect)},
		{"POST", "/v1/exports/{exportId}/cancel", scopeExportsWrite, withoutQuery(a.cancelExport)},
	}
}

// exportV1 is the JSON form of an export in /v1.
type exportV1 struct {
	JobID         job.ExportID     `json:"job_id"`
	ResourceType  string           `json:"resource_type"`
	Format        string           `json:"format"`
	Status        job.ExportStatus `json:"status"`
	Filters       json.RawMessage  `json:"filters"`
	Fields        []string         `json:"fields"`
	RecordCount   int64            `json:"record_count"`
	SizeBytes     int64            `json:"size_bytes,omitempty"`
	DownloadURL   string           `json:"download_url,omitempty"`
	FailureCode   string           `json:"failure_code,omitempty"`
	FailureReason string           `json:"failure_reason,omitempty"`
	CreatedAt     time.Time        `json:"created_at"`
	StartedAt     *time.Time       `json:"started_at,omitempty"`
	CompletedAt   *time.Time       `json:"completed_at,omitempty"`
}

const exportsPath = "/v1/exports/"

func (a *api) toExportV1(l translation.Language, e *job.Export) exportV1 {
	v := exportV1{
		JobID: e.ID, ResourceType: a.resourceName(e.ImportType), Format: e.Format, Status: e.Status, Filters: e.Filters, Fields: sliceOrEmpty(e.Fields),
		RecordCount: e.Records, SizeBytes: e.SizeBytes, CreatedAt: e.CreatedAt.UTC(), StartedAt: utcOrNil(e.StartedAt), CompletedAt: utcOrNil(e.CompletedAt),
	}
	if e.Status == job.ExportCompleted {
		v.DownloadURL = exportsPath + string(e.ID) + "/download"
	}
	if e.Failure != nil {
		v.FailureCode, v.FailureReason = e.Failure.Code, l.Text(e.Failure.Message)
	}
	return v
}

// resourceName returns the /v1 name of a type; declared types have one name.
func (a *api) resourceName(importType string) string {
	if t, ok := a.Types.ByName(importType); ok {
		return t.Declaration().Resource
	}
	return strings.ToLower(importType) // of a declared type
}

// exportRequest holds the parameters of a request for an export.
type exportRequest struct {
	kind   entity.Type
	decl   *entity.Declaration
	format export.Format
}

func (a *api) parseExportRequest(r *http.Request, field, resource, format string) (exportRequest, error) {
	kind, err := a.kindByResource(r, field, resource)
	if err != nil {
		return exportRequest{}, err
	}
	f, err := export.ParseFormat(format)
	return exportRequest{kind, kind.Declaration(), f}, err
}

// createExport is POST /v1/exports.
func (a *api) createExport(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		ResourceType string          `json:"resource_type"`
		Format       string          `json:"format"`
		Fields       []string        `json:"fields"`
		Filters      json.RawMessage `json:"filters"`
	}
	if err := readDeclaredJSON(r, &in, maxDocument); err != nil {
		return err
	}
	what, err := a.parseExportRequest(r, "resource_type", in.ResourceType, in.Format)
	if err != nil {
		return err
	}
	done, err := a.acceptExport(r, what, in.Fields, in.Filters)
	if err != nil {
		return err
	}
	return writeJSON(w, writeAcceptedExportHeaders(w, exportsPath, done), a.toExportV1(languageOf(r), done.Export))
}

// acceptExport accepts a requested export.
func (a *api) acceptExport(r *http.Request, what exportRequest, fields []string, filters json.RawMessage) (*submit.AcceptedExport, error) {
	key, err := idempotencyKey(r)
	if err != nil {
		return nil, err
	}
	return a.Exports.Accept(r.Context(), submit.ExportRequest{
		OrganisationID: organisationOf(r), RequestID: requestIDOf(r.Context()), Key: key,
		Type: what.decl, Format: what.format, Fields: fields, Filters: filters,
	})
}

// writeAcceptedExportHeaders sets the headers of a response to an accepted export, with an address
// that begins with under, and returns its status.
func writeAcceptedExportHeaders(w http.ResponseWriter, under string, done *submit.AcceptedExport) int {
	w.Header().Set("Location", under+string(done.Export.ID))
	w.Header().Set("Retry-After", retryAfter)
	setKeyExpiry(w, done.KeyExpiresAt)
	if done.Repeated {
		return http.StatusOK
	}
	return http.StatusAccepted
}

// getExport is GET /v1/exports/{exportId}.
func (a *api) getExport(w http.ResponseWriter, r *http.Request) error {
	e, err := a.loadExport(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, a.toExportV1(languageOf(r), e))
}

func (a *api) loadExport(r *http.Request) (e *job.Export, err error) {
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		e, err = a.DB.Export(ctx, tx, exportID(r))
		return err
	})
	return e, err
}

// downloadLifetime is the validity of a download link.
const downloadLifetime = 15 * time.Minute

// downloadExport is GET /v1/exports/{exportId}/download: it redirects to the file.
func (a *api) downloadExport(w http.ResponseWriter, r *http.Request) error {
	e, err := a.loadExport(r)
	if err == nil {
		err = a.checkArchive(r, e)
	}
	if err != nil {
		return err
	}
	switch {
	case !e.Status.Terminal():
		return problem.New(problem.StillRunning, "The export is not finished yet.")
	case e.Status != job.ExportCompleted:
		return problem.New(problem.StateConflict, "The export has no file: it %s.", e.Status.Clause())
	}
	if _, err := a.Downloads.Size(r.Context(), e.ObjectKey); problem.CodeOf(err) == problem.UploadMissing {
		return problem.New(problem.Gone, "The file of this export was deleted. Create a new export.")
	} else if err != nil {
		return err
	}
	address, err := a.Downloads.PresignGet(r.Context(), e.ObjectKey, export.Format(e.Format).Disposition(a.resourceName(e.ImportType)), downloadLifetime)
	if err != nil {
		return err
	}
	return writeDownload(w, r, address)
}

// cancelExport is POST /v1/exports/{exportId}/cancel.
func (a *api) cancelExport(w http.ResponseWriter, r *http.Request) error {
	e, err := a.cancelExportByID(r.Context(), organisationOf(r), exportID(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, a.toExportV1(languageOf(r), e))
}

// cancelExportByID cancels an export. If it is too late, it returns the export with the error.
func (a *api) cancelExportByID(ctx context.Context, organisation tenant.ID, id job.ExportID) (e *job.Export, err error) {
	err = a.DB.InOrganisation(ctx, organisation, func(tx pgx.Tx) (err error) {
		if _, err = a.DB.Export(ctx, tx, id); err != nil {
			return err
		}
		ended, err := a.DB.EndExport(ctx, tx, id, job.ExportCancelled, nil)
		if err != nil {
			return err
		}
		if e, err = a.DB.Export(ctx, tx, id); err == nil && !ended {
			return problem.New(problem.StateConflict,
				"This export can no longer be cancelled: it %s.", e.Status.Clause())
		}
		return err
	})
	return e, err
}

// splitColumns splits a comma-separated list of names.
func splitColumns(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}
