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
	"github.com/loadbay/loadbay/shared/problem"
)

// ErrorWorkbooks writes the rows of a job that are in error as a workbook.
type ErrorWorkbooks interface {
	// Write is UPLOAD_MISSING where the job's file is not kept any more.
	Write(ctx context.Context, out io.Writer, j *job.Job, decl *entity.Declaration) (rows int64, err error)
}

// getErrorWorkbook is GET /api/imports/{uuid}/errors.xlsx: the workbook, or, where
// a response cannot carry it, the way to it. Without a row in error there is none.
func (a *api) getErrorWorkbook(w http.ResponseWriter, r *http.Request) error {
	j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "uuid"))
	if err != nil {
		return err
	}
	if !j.Status.Terminal() {
		return problem.New(problem.StillRunning, "The import has not ended yet.")
	}
	if j.Progress.Counts.Errored == 0 {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	key := fmt.Sprintf("%s%d/%s", submit.ExportsPrefix, j.OrganisationID, errorworkbook.Filename(j))
	file := &spillWriter{create: func() object.Writer { return a.Downloads.Create(r.Context(), key, export.XLSX.ContentType()) }}
	_, err = a.ErrorWorkbooks.Write(r.Context(), file, j, a.declaration(j))
	if err = file.finish(err); problem.CodeOf(err) == problem.UploadMissing {
		return problem.New(problem.Gone, "The file of this import has been deleted, and with it the rows that failed.")
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

// maxInline is the most bytes of a workbook in a response: in base64 they are
// less than maxInlineBytes.
const maxInline = maxInlineBytes / 4 * 3

// spillWriter gathers a file for a response; once that cannot carry it, it goes to
// an object instead.
type spillWriter struct {
	create func() object.Writer
	body   bytes.Buffer
	object object.Writer // nil while the file fits
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

// finish ends the file as writing it has ended.
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
