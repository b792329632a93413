package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/operations"
	"github.com/loadbay/loadbay/shared/postgres"
)

// operatorImport is the JSON form of an import for operators.
type operatorImport struct {
	Identifier     job.ID               `json:"identifier"`
	OrganisationID tenant.ID            `json:"organisationId"`
	ImportType     string               `json:"importType"`
	Purpose        string               `json:"purpose"`
	Status         job.Status           `json:"status"`
	CreatedAt      time.Time            `json:"createdAt"`
	UpdatedAt      time.Time            `json:"updatedAt"`
	CompletedAt    *time.Time           `json:"completedAt"`
	TotalRows      int64                `json:"totalRows"`
	ProcessedRows  int64                `json:"processedRows"`
	ErrorCount     int64                `json:"errorCount"`
	ChunksDone     int                  `json:"chunksDone"`
	ChunkTotal     int                  `json:"chunkTotal"`
	FailureCode    *string              `json:"failureCode"`
	Stuck          *operations.Stuck    `json:"stuck"`
	Execution      *job.ExecutionStatus `json:"execution"`
	ExecutionURL   *string              `json:"executionUrl"`
}

func (a *operatorAPI) toOperatorImport(i *operations.Import) operatorImport {
	d := operatorImport{
		Identifier: i.ID, OrganisationID: i.Organisation, ImportType: i.ImportType, Purpose: i.Purpose, Status: i.Status,
		CreatedAt: i.CreatedAt.UTC(), UpdatedAt: i.UpdatedAt.UTC(), CompletedAt: utcOrNil(i.CompletedAt),
		TotalRows: i.TotalRows, ProcessedRows: i.ProcessedRows, ErrorCount: i.ErrorRows, ChunksDone: i.ChunksDone, ChunkTotal: i.ChunkTotal,
		FailureCode: nilIfZero(i.FailureCode), Stuck: nilIfZero(i.Stuck), Execution: nilIfZero(i.Execution),
	}
	if a.links.Execution != nil {
		d.ExecutionURL = new(a.links.Execution(i.ID))
	}
	return d
}

// organisation reads the parameter organisationId; 0 if it is absent.
func (v *values) organisation() tenant.ID {
	text := v.text("organisationId")
	if text == "" {
		return 0
	}
	id, err := tenant.Parse(text)
	if err != nil {
		v.addError("organisationId", "The ID of an organisation, such as 12.")
	}
	return id
}

// listImports is GET /api/admin/imports.
func (a *operatorAPI) listImports(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(operatorPage, maxOperatorPage)
	f := operations.ImportFilter{
		Organisation: v.organisation(), ImportType: v.text("importType"), Statuses: v.statuses(), Stuck: v.flag("stuck"),
		Page: p.list(),
	}
	switch v.text("sort") {
	case "", "-createdAt":
	case "updatedAt":
		f.OldestFirst = true
	default:
		v.addError("sort", "Either -createdAt (newest first) or updatedAt (stuck longest first).")
	}
	v.rejectUnknown(pageParams("organisationId", "importType", "status", "active", "stuck", "sort")...)
	if err := v.err(); err != nil {
		return err
	}
	found, total, err := a.operations.Imports(r.Context(), f)
	if err != nil {
		return err
	}
	documents := make([]operatorImport, len(found))
	for i := range found {
		documents[i] = a.toOperatorImport(&found[i])
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.OperatorImportCursor(&found[i], f.OldestFirst) }, total)
}

// getImport is GET /api/admin/imports/{importId}.
func (a *operatorAPI) getImport(w http.ResponseWriter, r *http.Request) error {
	i, err := a.operations.Import(r.Context(), jobID(r, "importId"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, a.toOperatorImport(i))
}

// requeuedDocument describes requeued work.
type requeuedDocument struct {
	Chunks             int  `json:"chunks"`
	Message            bool `json:"message"`
	ReconcileRequested bool `json:"reminded"`
}

// redriveImport is POST /api/admin/imports/{importId}/redrive.
func (a *operatorAPI) redriveImport(w http.ResponseWriter, r *http.Request) error {
	b, err := a.operations.RequeueImport(r.Context(), callerName(r), jobID(r, "importId"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, requeuedDocument(b))
}

// operatorExport is the JSON form of an export for operators.
type operatorExport struct {
	ID             job.ExportID      `json:"id"`
	OrganisationID tenant.ID         `json:"organisationId"`
	ImportType     string            `json:"importType"`
	Format         string            `json:"format"`
	Status         string            `json:"status"`
	RecordCount    int64             `json:"recordCount"`
	CreatedAt      time.Time         `json:"createdAt"`
	UpdatedAt      time.Time         `json:"updatedAt"`
	CompletedAt    *time.Time        `json:"completedAt"`
	Requeues       int               `json:"requeues"`
	FailureCode    *string           `json:"failureCode"`
	Stuck          *operations.Stuck `json:"stuck"`
}

// exportStatusName returns the /api name of an export status.
func exportStatusName(status string) string { return strings.ToUpper(status) }

// exportStatuses reads the parameter status, a list.
func (v *values) exportStatuses() (wanted []job.ExportStatus) {
	for _, name := range v.list("status") {
		status := job.ExportStatus(strings.ToLower(name))
		if strings.ToUpper(name) != name || !status.Valid() {
			v.addError("status", "A comma-separated list of PENDING, PROCESSING, COMPLETED, FAILED, CANCELLED.")
		}
		wanted = append(wanted, status)
	}
	return slices.Compact(wanted)
}

// listExports is GET /api/admin/exports.
func (a *operatorAPI) listExports(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(operatorPage, maxOperatorPage)
	f := operations.ExportFilter{Organisation: v.organisation(), Statuses: v.exportStatuses(), Stuck: v.flag("stuck"), Page: p.list()}
	v.rejectUnknown(pageParams("organisationId", "status", "stuck")...)
	if err := v.err(); err != nil {
		return err
	}
	found, total, err := a.operations.Exports(r.Context(), f)
	if err != nil {
		return err
	}
	documents := make([]operatorExport, len(found))
	for i, e := range found {
		documents[i] = operatorExport{
			ID: e.ID, OrganisationID: e.Organisation, ImportType: e.ImportType, Format: e.Format, Status: exportStatusName(string(e.Status)), RecordCount: e.Records,
			CreatedAt: e.CreatedAt.UTC(), UpdatedAt: e.LastActivityAt.UTC(), CompletedAt: utcOrNil(e.CompletedAt), Requeues: e.Requeues, FailureCode: nilIfZero(e.FailureCode), Stuck: nilIfZero(e.Stuck),
		}
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.ExportCursor(found[i].ID, found[i].CreatedAt) }, total)
}

// redriveExport is POST /api/admin/exports/{exportId}/redrive.
func (a *operatorAPI) redriveExport(w http.ResponseWriter, r *http.Request) error {
	b, err := a.operations.RequeueExport(r.Context(), callerName(r), exportID(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, requeuedDocument(b))
}

// erasureDocument is an unfinished erasure of a person.
type erasureDocument struct {
	OrganisationID tenant.ID `json:"organisationId"`
	PersonID       int64     `json:"personId"`
	ErasedChanges  int64     `json:"erasedChanges"`
	BeganAt        time.Time `json:"beganAt"`
}

// listErasures is GET /api/admin/erasures.
func (a *operatorAPI) listErasures(w http.ResponseWriter, r *http.Request) error {
	p, err := operatorPageQuery(r)
	if err != nil {
		return err
	}
	found, total, err := a.operations.Erasures(r.Context(), p.list())
	if err != nil {
		return err
	}
	documents := make([]erasureDocument, len(found))
	for i, e := range found {
		documents[i] = erasureDocument{e.Organisation, e.Person, e.Changes, e.BeganAt.UTC()}
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.ErasureCursor(&found[i]) }, total)
}
