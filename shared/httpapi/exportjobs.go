package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/postgres"
)

const exportJobsPath = "/api/exports"

// exportJobRoutes returns the /api versions of the /v1 export routes, with a list.
func (a *api) exportJobRoutes() []route {
	one := exportJobsPath + "/{exportId}"
	return []route{
		{"GET", exportJobsPath, scopeExportsRead, a.listExports},
		{"POST", exportJobsPath, scopeExportsWrite, withoutQuery(a.createExportJob)},
		{"GET", exportJobsPath + "/count", scopeExportsRead, a.countExport},
		{"GET", one, scopeExportsRead, withoutQuery(a.getExportJob)},
		{"GET", one + "/download", scopeExportsRead, withQuery(a.downloadExport, parameterRedirect)},
		{"POST", one + "/cancel", scopeExportsWrite, withoutQuery(a.cancelExportJob)},
	}
}

// exportJob is the JSON form of an export in /api.
type exportJob struct {
	Identifier  job.ExportID    `json:"identifier"`
	ImportType  string          `json:"importType"`
	Format      string          `json:"format"`
	Status      string          `json:"status"` // in capitals
	Filters     json.RawMessage `json:"filters"`
	Fields      []string        `json:"fields"`
	RecordCount int64           `json:"recordCount"`
	SizeBytes   *int64          `json:"sizeBytes"`   // null until it is complete
	DownloadURL *string         `json:"downloadUrl"` // null until it is complete
	CreatedAt   time.Time       `json:"createdAt"`
	StartedAt   *time.Time      `json:"startedAt"`
	CompletedAt *time.Time      `json:"completedAt"`
	Failure     *job.Failure    `json:"failure"`
}

func toExportJob(l translation.Language, e *job.Export) exportJob {
	document := exportJob{
		Identifier: e.ID, ImportType: e.ImportType, Format: e.Format, Status: strings.ToUpper(string(e.Status)), Filters: e.Filters,
		Fields: sliceOrEmpty(e.Fields), RecordCount: e.Records, CreatedAt: e.CreatedAt.UTC(), StartedAt: utcOrNil(e.StartedAt), CompletedAt: utcOrNil(e.CompletedAt),
		Failure: failureIn(l, e.Failure),
	}
	if e.Status == job.ExportCompleted {
		document.SizeBytes, document.DownloadURL = &e.SizeBytes, new(exportJobsPath+"/"+string(e.ID)+"/download")
	}
	return document
}

// listExports is GET /api/exports, newest first.
func (a *api) listExports(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(jobsPage, maxJobsPage)
	f := postgres.ExportFilter{ImportType: v.text("importType"), Created: v.period("createdFrom", "createdTo"), Page: p.list()}
	a.checkTypeFilter(r, v, f.ImportType)
	if status := v.text("status"); status != "" {
		f.Status = job.ExportStatus(strings.ToLower(status))
		if strings.ToUpper(status) != status || !f.Status.Valid() {
			v.addError("status", "One of PENDING, PROCESSING, COMPLETED, FAILED, CANCELLED.")
		}
	}
	v.rejectUnknown(pageParams("status", "importType", "createdFrom", "createdTo")...)
	if err := v.err(); err != nil {
		return err
	}
	var found []*job.Export
	var total int64
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, total, err = a.DB.Exports(ctx, tx, f)
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]exportJob, len(found))
	for i, e := range found {
		documents[i] = toExportJob(languageOf(r), e)
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.ExportCursor(found[i].ID, found[i].CreatedAt) }, total)
}

// createExportJob is POST /api/exports.
func (a *api) createExportJob(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		ImportType string          `json:"importType"`
		Format     string          `json:"format"`
		Fields     []string        `json:"fields"`
		Filters    json.RawMessage `json:"filters"`
	}
	if err := readDeclaredJSON(r, &in, maxDocument); err != nil {
		return err
	}
	kind, err := a.kindInUse(r, "importType", in.ImportType)
	if err != nil {
		return err
	}
	format, err := export.ParseFormat(in.Format)
	if err != nil {
		return err
	}
	done, err := a.acceptExport(r, exportRequest{kind, kind.Declaration(), format}, in.Fields, in.Filters)
	if err != nil {
		return err
	}
	return writeJSON(w, writeAcceptedExportHeaders(w, exportJobsPath+"/", done), toExportJob(languageOf(r), done.Export))
}

// getExportJob is GET /api/exports/{exportId}.
func (a *api) getExportJob(w http.ResponseWriter, r *http.Request) error {
	e, err := a.loadExport(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toExportJob(languageOf(r), e))
}

// cancelExportJob is POST /api/exports/{exportId}/cancel.
func (a *api) cancelExportJob(w http.ResponseWriter, r *http.Request) error {
	e, err := a.cancelExportByID(r.Context(), organisationOf(r), exportID(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toExportJob(languageOf(r), e))
}
