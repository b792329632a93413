package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// importRetry is an import that retries failed rows of another import: ImportRetry in openapi.yaml.
type importRetry struct {
	Identifier   job.ID     `json:"identifier"`
	OfRows       bool       `json:"ofRows"` // created from rows of the import; otherwise from a separate file
	Status       job.Status `json:"status"`
	TotalRows    int64      `json:"totalRows"`
	SuccessCount int64      `json:"successCount"` // written or skipped
	ErrorCount   int64      `json:"errorCount"`
}

func toImportRetries(retries []job.Retry) []importRetry {
	documents := make([]importRetry, len(retries))
	for i, r := range retries {
		documents[i] = importRetry{r.ID, r.RowRetry, r.Status, r.Rows, r.Success, r.Errors}
	}
	return documents
}

// retryImport is POST …/retry.
func (a *api) retryImport(w http.ResponseWriter, r *http.Request) error {
	j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
	if err != nil {
		return err
	}
	in := struct {
		Rows string `json:"rows"`
	}{"corrected"}
	if r.ContentLength != 0 {
		if err := readJSON(r, &in, maxDocument); err != nil {
			return err
		}
	}
	if in.Rows != "corrected" && in.Rows != "all-errors" {
		return problem.New(problem.ParameterInvalid, "The rows to retry are missing.").
			With("rows", problem.ParameterInvalid, "Either corrected (default) or all-errors.")
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	decl, err := a.declaration(r.Context(), nil, j)
	if err != nil {
		return err
	}
	done, err := a.Imports.Retry(r.Context(), submit.RetryRequest{
		Ref: jobRef(r), RequestID: requestIDOf(r.Context()), Key: key, Type: decl, AllErrors: in.Rows == "all-errors", Uploader: callerName(r),
	})
	if err != nil {
		return err
	}
	return writeJSON(w, writeAcceptedHeaders(w, "/api/imports/"+string(done.Job.ID), http.StatusAccepted, done), toImportJob(languageOf(r), done.Job))
}

// dialectOf returns the detected format of a job's file, as far as it is known.
func dialectOf(j *job.Job) (dialect sheet.Dialect) {
	if len(j.Dialect) > 0 {
		_ = json.Unmarshal(j.Dialect, &dialect) // written by Loadbay, therefore valid
	}
	return dialect
}
