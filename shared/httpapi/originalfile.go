package httpapi

import (
	"mime"
	"net/http"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// getSource is GET /api/imports/{importId}/source: it redirects to the original file.
func (a *api) getSource(w http.ResponseWriter, r *http.Request) error {
	j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
	if err != nil {
		return err
	}
	if j.UploadedAt == nil {
		return problem.New(problem.UploadMissing, "The file of this import has not been uploaded yet.")
	}
	switch file, err := a.Downloads.Head(r.Context(), j.ObjectKey); {
	case problem.CodeOf(err) == problem.UploadMissing:
		return problem.New(problem.Gone, "The file of this import has been deleted.")
	case err != nil:
		return err
	case j.ObjectETag != "" && file.ETag != j.ObjectETag:
		return problem.New(problem.Gone, "The file of this import was replaced by another file.")
	}
	address, err := a.Downloads.PresignGet(r.Context(), j.ObjectKey, sourceDisposition(j), downloadLifetime)
	if err != nil {
		return err
	}
	return writeDownload(w, r, address)
}

// sourceDisposition makes browsers save the file under its original name, in any script, instead
// of opening it.
func sourceDisposition(j *job.Job) string {
	if named := mime.FormatMediaType("attachment", map[string]string{"filename": j.Filename}); named != "" {
		return named
	}
	return "attachment"
}
