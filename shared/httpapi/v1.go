package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// jobV1 is the JSON form of a job in /v1.
type jobV1 struct {
	JobID             job.ID          `json:"job_id"`
	ResourceType      string          `json:"resource_type"`
	Mode              string          `json:"mode"`
	Status            string          `json:"status"`
	OriginalFilename  string          `json:"original_filename"`
	TotalRecords      int64           `json:"total_records"`
	ProcessedRecords  int64           `json:"processed_records"`
	SuccessfulRecords int64           `json:"successful_records"`
	UnchangedRecords  int64           `json:"unchanged_records"`
	SkippedRecords    int64           `json:"skipped_records"`
	ErrorRecords      int64           `json:"error_records"`
	ProgressPercent   int             `json:"progress_percent"`
	FailureCode       string          `json:"failure_code,omitempty"`
	FailureReason     string          `json:"failure_reason,omitempty"`
	Warnings          []string        `json:"warnings"`
	WarningTexts      []string        `json:"warning_texts"`
	Undone            bool            `json:"undone"` // wholly or in part
	UndoneBy          *job.RevertedBy `json:"undone_by"`
	CreatedAt         time.Time       `json:"created_at"`
	StartedAt         *time.Time      `json:"started_at,omitempty"`
	CompletedAt       *time.Time      `json:"completed_at,omitempty"`
}

func (a *api) toV1(l translation.Language, j *job.Job) jobV1 {
	c := j.Progress.Counts
	v := jobV1{
		Warnings: sliceOrEmpty(j.WarningCodes), WarningTexts: warningTexts(l, j.WarningCodes),
		Undone: j.Undone != nil, UndoneBy: j.Undone,
		JobID: j.ID, ResourceType: a.resourceName(j.ImportType), Mode: string(j.Mode), Status: statusV1(j),
		OriginalFilename: j.Filename, TotalRecords: j.Progress.TotalRows, ProcessedRecords: c.Processed(),
		SuccessfulRecords: c.Success(), UnchangedRecords: c.Unchanged, SkippedRecords: c.Skipped, ErrorRecords: c.Errored, ProgressPercent: progressPercent(j),
		CreatedAt: j.CreatedAt.UTC(), StartedAt: utcOrNil(j.StartedAt), CompletedAt: utcOrNil(j.CompletedAt),
	}
	if j.Failure != nil {
		v.FailureCode, v.FailureReason = j.Failure.Code, l.Text(j.Failure.Message)
	}
	return v
}

// statusesV1 maps the statuses to those of /v1; they are derived and never stored.
var statusesV1 = []struct {
	name     string
	statuses []job.Status
	errors   *bool // whether there are failed rows, if that matters
}{
	{"pending", []job.Status{job.Uploaded, job.ColumnMapping, job.CellMapping, job.AwaitingApproval}, nil},
	{"processing", []job.Status{job.Processing}, nil},
	{"completed", []job.Status{job.Completed}, new(false)},
	{"completed_with_errors", []job.Status{job.Completed}, new(true)},
	{"failed", []job.Status{job.Failed}, nil},
	{"cancelled", []job.Status{job.Cancelled}, nil},
}

// statusV1 returns the /v1 status of a job.
func statusV1(j *job.Job) string {
	for _, s := range statusesV1 {
		if slices.Contains(s.statuses, j.Status) && (s.errors == nil || *s.errors == (j.Progress.Counts.Errored > 0)) {
			return s.name
		}
	}
	return ""
}

// filterStatusV1 restricts a list to jobs with a status.
func filterStatusV1(v *values, f *postgres.JobFilter) {
	name := v.text("status")
	if name == "" {
		return
	}
	names := make([]string, len(statusesV1))
	for i, s := range statusesV1 {
		if s.name == name {
			f.Statuses, f.Errors = s.statuses, s.errors
			return
		}
		names[i] = s.name
	}
	v.addError("status", problem.OneOf(names))
}

// createImportV1 is POST /v1/imports: a form with the file, or a document with its address. The
// import has no review.
func (a *api) createImportV1(w http.ResponseWriter, r *http.Request) error {
	if kind, _ := contentType(r); kind == "application/json" {
		return a.createRemoteImportV1(w, r)
	}
	f, err := readForm(r)
	if err != nil {
		return err
	}
	v := newValues(f.fields)
	c := importRequest{ContextID: v.number("context_id"), unattended: true, Options: v.json("options"), Mapping: v.json("mapping"), file: f.file}
	names := v.importOptions(&c.ImportOptions, job.OptionsIn(job.InV1), (*job.Option).SnakeName)
	v.rejectUnknown(append(names, "resource_type", "context_id", "options", "mapping")...)
	resource := v.text("resource_type")
	if err := v.err(); err != nil {
		return err
	}
	return a.acceptImportV1(w, r, resource, c)
}

// acceptImportV1 accepts an import of a resource and responds with it.
func (a *api) acceptImportV1(w http.ResponseWriter, r *http.Request, resource string, c importRequest) error {
	decl, err := a.typeByResource(r, "resource_type", resource)
	if err != nil {
		return err
	}
	c.contextName = "context_id"
	done, err := a.accept(r, "POST /v1/imports", decl, c)
	if err != nil {
		return renameParametersV1(err)
	}
	return writeJSON(w, writeAcceptedHeaders(w, "/v1/imports/"+string(done.Job.ID), http.StatusAccepted, done), a.toV1(languageOf(r), done.Job))
}

// listImportsV1 is GET /v1/imports.
func (a *api) listImportsV1(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	f := postgres.JobFilter{}
	if resource := v.text("resource_type"); resource != "" {
		decl, err := a.typeByResource(r, "resource_type", resource)
		switch problem.CodeOf(err) {
		case "":
			f.ImportType = decl.Name
		case problem.TypeRetired:
			f.ImportType = strings.ToUpper(resource)
		case problem.ImportTypeUnknown:
			v.addError("resource_type", "One of the resources in GET /api/import-types, such as users.")
		default:
			return err
		}
	}
	filterStatusV1(v, &f)
	f.Created = v.period("created_from", "created_to")
	p := v.page(jobsPage, maxJobsPage)
	v.rejectUnknown(pageParams("resource_type", "status", "created_from", "created_to")...)
	if err := v.err(); err != nil {
		return err
	}
	f.Page = p.list()
	jobs, total, err := a.loadJobs(r, f)
	if err != nil {
		return err
	}
	documents := make([]jobV1, len(jobs))
	for i, j := range jobs {
		documents[i] = a.toV1(languageOf(r), j)
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return f.Sort.Cursor(jobs[i]) }, total)
}

// getImportV1 is GET /v1/imports/{importId}.
func (a *api) getImportV1(w http.ResponseWriter, r *http.Request) error {
	j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, a.toV1(languageOf(r), j))
}

// cancelImportV1 is POST /v1/imports/{importId}/cancel.
func (a *api) cancelImportV1(w http.ResponseWriter, r *http.Request) error {
	j, err := a.Canceller.Cancel(r.Context(), job.Ref{JobID: jobID(r, "importId"), OrganisationID: organisationOf(r)})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, a.toV1(languageOf(r), j))
}
