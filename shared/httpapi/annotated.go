package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
)

// annotatedFile is the original file of an import with its errors marked: Annotated in
// openapi.yaml.
type annotatedFile struct {
	Status   job.ExportStatus `json:"status"`
	Marked   int64            `json:"marked"` // number of marked cells, once complete
	Failure  *job.Failure     `json:"failure"`
	Location string           `json:"location"`
}

func toAnnotated(l translation.Language, e *job.Export) annotatedFile {
	return annotatedFile{Status: e.Status, Marked: e.Records, Failure: failureIn(l, e.Failure), Location: annotatedPath(e.Annotates)}
}

func annotatedPath(id job.ID) string { return "/api/imports/" + string(id) + "/annotated.xlsx" }

// annotate is POST …/annotated.
func (a *api) annotate(w http.ResponseWriter, r *http.Request) error {
	j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
	if err != nil {
		return err
	}
	if _, err := a.Downloads.Size(r.Context(), j.ObjectKey); j.Status.Terminal() && problem.CodeOf(err) == problem.UploadMissing {
		return problem.New(problem.SourceGone, "The file of this import was deleted.")
	}
	dialect := dialectOf(j)
	decl, err := a.declaration(r.Context(), nil, j)
	if err != nil {
		return err
	}
	done, err := a.Exports.Annotate(r.Context(), j, &dialect, decl, requestIDOf(r.Context()))
	if err != nil {
		return err
	}
	w.Header().Set("Location", annotatedPath(j.ID))
	w.Header().Set("Retry-After", retryAfter)
	return writeJSON(w, http.StatusAccepted, toAnnotated(languageOf(r), done.Export))
}

// getAnnotated is GET …/annotated.xlsx: it redirects to the file.
func (a *api) getAnnotated(w http.ResponseWriter, r *http.Request) error {
	var e *job.Export
	var j *job.Job
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		if j, err = a.DB.Job(ctx, tx, jobID(r, "importId")); err == nil {
			e, err = a.DB.AnnotatedExport(ctx, tx, j.ID)
		}
		return err
	})
	if err != nil {
		return err
	}
	switch {
	case e == nil:
		return problem.New(problem.NotFound, "The annotated file of import %s was not requested yet.", j.ID)
	case !e.Status.Terminal():
		w.Header().Set("Retry-After", strconv.Itoa(2))
		return problem.New(problem.StillRunning, "The file is still being written.")
	case e.Failure != nil:
		return problem.New(problem.Code(e.Failure.Code), "%s", e.Failure.Message)
	case e.Status != job.ExportCompleted:
		return problem.New(problem.StateConflict,
			"The annotated file does not exist: its export %s.", e.Status.Clause())
	}
	if _, err := a.Downloads.Size(r.Context(), e.ObjectKey); problem.CodeOf(err) == problem.UploadMissing {
		return problem.New(problem.Gone, "The file was deleted. Request a new one.")
	} else if err != nil {
		return err
	}
	address, err := a.Downloads.PresignGet(r.Context(), e.ObjectKey, attachment(annotatedFilename(j)), downloadLifetime)
	if err != nil {
		return err
	}
	return writeDownload(w, r, address)
}

// annotatedFilename returns the name of the annotated file, derived from the original name.
func annotatedFilename(j *job.Job) string {
	return strings.TrimSuffix(j.Filename, ".xlsx") + "-annotated.xlsx"
}
