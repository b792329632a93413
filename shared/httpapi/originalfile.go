package httpapi

import (
	"mime"
	"net/http"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// getSource is GET /api/imports/{uuid}/source: it leads to the file as it came.
func (a *api) getSource(w http.ResponseWriter, r *http.Request) error {
	j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "uuid"))
	if err != nil {
		return err
	}
	if j.UploadedAt == nil {
		return problem.New(problem.UploadMissing, "The file of this import has not arrived.")
	}
	switch file, err := a.Downloads.Head(r.Context(), j.ObjectKey); {
	case problem.CodeOf(err) == problem.UploadMissing:
		return problem.New(problem.Gone, "The file of this import has been deleted.")
	case err != nil:
		return err
	case j.ObjectETag != "" && file.ETag != j.ObjectETag:
		return problem.New(problem.Gone, "Another file has taken the place of this import's.")
	}
	address, err := a.Downloads.PresignGet(r.Context(), j.ObjectKey, sourceDisposition(j), downloadLifetime)
	if err != nil {
		return err
	}
	return writeDownload(w, r, address)
}

// sourceDisposition has browsers store the file under the name that it came with, in
// whatever letters, and open none of it.
func sourceDisposition(j *job.Job) string {
	if named := mime.FormatMediaType("attachment", map[string]string{"filename": j.Filename}); named != "" {
		return named
	}
	return "attachment"
}
