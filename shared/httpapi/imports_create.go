package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/submit"
	"github.com/loadbay/loadbay/shared/tenant"
)

// createImport is POST /api/imports: a form with the file, or a JSON document
// about a file that is sent afterwards.
func (a *api) createImport(w http.ResponseWriter, r *http.Request) error {
	c, err := readCreation(r)
	if err != nil {
		return err
	}
	if err := sameOrganisation(r, c.OrganisationID, "organisationId"); err != nil {
		return err
	}
	t, known := a.Types.ByName(c.ImportType)
	decl, err := typeNamed(t, known, "importType", c.ImportType)
	if err != nil {
		return err
	}
	done, err := a.accept(r, "POST /api/imports", decl, *c)
	if err != nil {
		return err
	}
	j := done.Job
	if done.Upload == nil {
		if j, err = a.awaited(w, r, j); err != nil {
			return err
		}
	}
	return writeJSON(w, accepted(w, "/api/imports/"+string(j.ID), http.StatusCreated, done), a.withUpload(toImportJob(j), done.Upload))
}

func readCreation(r *http.Request) (*creation, error) {
	switch kind, _ := contentType(r); kind {
	case "application/json":
		var c creation
		if err := readJSON(r, &c, maxDocument); err != nil {
			return nil, err
		}
		if c.SizeBytes == nil || *c.SizeBytes < 0 {
			return nil, problem.New(problem.ParameterInvalid, "The size of the file must be known beforehand.").
				With("sizeBytes", problem.ParameterInvalid, "The size of the file in bytes.")
		}
		c.file = submit.File{Name: c.Filename, ContentType: c.ContentType, Size: *c.SizeBytes, SHA256: c.SHA256}
		return &c, nil
	case "multipart/form-data":
		return readCreationForm(r)
	default:
		return nil, problem.New(problem.MediaTypeInvalid, "Send multipart/form-data with the file, or application/json about a file to be uploaded.")
	}
}

func readCreationForm(r *http.Request) (*creation, error) {
	f, err := readForm(r)
	if err != nil {
		return nil, err
	}
	v := newValues(f.fields)
	v.rejectUnknown("importType", "contextId", "organisationId", "mode", "options", "sha256", "autoStart", "dryRun", "retryOf")
	c := &creation{
		ImportType: v.text("importType"), ContextID: v.number("contextId"), OrganisationID: (*tenant.ID)(v.number("organisationId")),
		Mode: v.text("mode"), AutoStart: v.optionalFlag("autoStart"), DryRun: v.flag("dryRun"), RetryOf: v.text("retryOf"), file: f.file,
	}
	c.file.SHA256 = v.text("sha256")
	if options := v.text("options"); options != "" {
		c.Options = json.RawMessage(options)
	}
	return c, v.err()
}
