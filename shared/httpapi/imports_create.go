package httpapi

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// createImport is POST /api/imports: a form with the file, or a JSON document for a file that is
// uploaded afterwards.
func (a *api) createImport(w http.ResponseWriter, r *http.Request) error {
	c, err := readCreation(r)
	if err != nil {
		return err
	}
	if err := checkOrganisation(r, c.OrganisationID, "organisationId"); err != nil {
		return err
	}
	decl, err := a.typeInUse(r, "importType", c.ImportType)
	if err != nil {
		return err
	}
	done, err := a.accept(r, "POST /api/imports", decl, *c)
	if err != nil {
		return err
	}
	if done.Job, err = a.waitFor(w, r, done.Job); err != nil {
		return err
	}
	document := a.withUpload(toImportJob(languageOf(r), done.Job), done.Upload)
	if err := a.addPendingQuestions(r, done.Job, &document); err != nil {
		return err
	}
	return writeJSON(w, writeAcceptedHeaders(w, "/api/imports/"+string(done.Job.ID), http.StatusCreated, done), document)
}

// addPendingQuestions adds the columns or values to the document of an import that already waits for
// decisions about them, because the caller preferred to wait.
func (a *api) addPendingQuestions(r *http.Request, j *job.Job, document *importJob) error {
	switch j.WaitingFor() {
	case job.WaitColumns:
		return a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
			return a.addColumnMappings(ctx, tx, languageOf(r), j, document)
		})
	case job.WaitCells:
		return a.addCellMappings(r.Context(), job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID}, document)
	default:
		return nil
	}
}

func readCreation(r *http.Request) (*importRequest, error) {
	switch kind, _ := contentType(r); kind {
	case "application/json":
		var c importRequest
		if err := readJSON(r, &c, maxDocument); err != nil {
			return nil, err
		}
		if c.SizeBytes == nil || *c.SizeBytes < 0 {
			return nil, problem.New(problem.ParameterInvalid, "The file size is missing.").
				With("sizeBytes", problem.ParameterInvalid, "The size of the file in bytes.")
		}
		c.file = submit.File{Name: c.Filename, ContentType: c.ContentType, Size: *c.SizeBytes, SHA256: c.SHA256}
		return &c, nil
	case "multipart/form-data":
		return readCreationForm(r)
	default:
		return nil, problem.New(problem.MediaTypeInvalid, "Send multipart/form-data with the file, or application/json to upload the file later.")
	}
}

func readCreationForm(r *http.Request) (*importRequest, error) {
	f, err := readForm(r)
	if err != nil {
		return nil, err
	}
	v := newValues(f.fields)
	c := &importRequest{
		ImportType: v.text("importType"), ContextID: v.number("contextId"), OrganisationID: (*tenant.ID)(v.number("organisationId")),
		Options: v.json("options"), Mapping: v.json("mapping"), file: f.file,
	}
	c.file.SHA256 = v.text("sha256")
	names := v.importOptions(&c.ImportOptions, job.Options(), (*job.Option).JSONName)
	v.rejectUnknown(append(names, "importType", "contextId", "organisationId", "options", "mapping", "sha256")...)
	return c, v.err()
}
