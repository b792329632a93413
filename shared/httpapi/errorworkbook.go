package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/output/errorworkbook"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
)

// ErrorWorkbooks writes the failed rows of a job as a workbook.
type ErrorWorkbooks interface {
	// Write returns UPLOAD_MISSING if the job's file is no longer stored.
	Write(ctx context.Context, out io.Writer, l translation.Language, j *job.Job, decl *entity.Declaration) (rows int64, err error)
}

// getErrorWorkbook is GET /api/imports/{importId}/errors.xlsx: the workbook, or a redirect to it if it
// is too large for a response. Without failed rows there is no workbook.
func (a *api) getErrorWorkbook(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	l := v.language()
	if err := v.err(); err != nil {
		return err
	}
	j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
	if err != nil {
		return err
	}
	if !j.Status.Terminal() {
		return problem.New(problem.StillRunning, "The import is not finished yet.")
	}
	if j.Progress.Counts.Errored == 0 {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	key := fmt.Sprintf("%s%d/%s", submit.ExportsPrefix, j.OrganisationID, errorworkbook.Filename(j))
	file := &spillWriter{create: func() object.Writer { return a.Downloads.Create(r.Context(), key, export.XLSX.ContentType()) }}
	decl, err := a.declaration(r.Context(), nil, j)
	if err != nil {
		return err
	}
	_, err = a.ErrorWorkbooks.Write(r.Context(), file, l, j, decl)
	if err = file.finish(err); problem.CodeOf(err) == problem.UploadMissing {
		return problem.New(problem.Gone,
			"The file of this import was deleted, so its failed rows are no longer available.")
	}
	if err != nil {
		return err
	}
	if file.object == nil {
		writeWorkbook(w, errorworkbook.Filename(j), file.body.Bytes())
		return nil
	}
	address, err := a.Downloads.PresignGet(r.Context(), key, attachment(errorworkbook.Filename(j)), downloadLifetime)
	if err != nil {
		return err
	}
	return writeDownload(w, r, address)
}

// maxInline is the maximum size of a workbook in a response in bytes: in base64 it is less than
// maxInlineBytes.
const maxInline = maxInlineBytes / 4 * 3

// spillWriter buffers a file for a response and moves it to an object once it is too large.
type spillWriter struct {
	create func() object.Writer
	body   bytes.Buffer
	object object.Writer // nil while the file fits into a response
}

// Write implements io.Writer.
func (s *spillWriter) Write(p []byte) (int, error) {
	if s.object == nil {
		if s.body.Len()+len(p) <= maxInline {
			return s.body.Write(p)
		}
		s.object = s.create()
		if _, err := s.body.WriteTo(s.object); err != nil {
			return 0, err
		}
	}
	return s.object.Write(p)
}

// finish completes the file, or discards it after an error.
func (s *spillWriter) finish(err error) error {
	switch {
	case s.object == nil:
		return err
	case err != nil:
		return s.object.Abort(err)
	default:
		return s.object.Complete()
	}
}
