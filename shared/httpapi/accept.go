package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// importRequest is a request for an import, from whichever endpoint, with the names
// that the generic one has for its JSON form.
type importRequest struct {
	ImportType     string          `json:"importType"`
	ContextID      *int64          `json:"contextId"`
	OrganisationID *tenant.ID      `json:"organisationId"`
	Filename       string          `json:"filename"`
	ContentType    string          `json:"contentType"`
	SizeBytes      *int64          `json:"sizeBytes"`
	SHA256         string          `json:"sha256"`
	Mode           string          `json:"mode"`
	Options        json.RawMessage `json:"options"`
	Mapping        json.RawMessage `json:"mapping"`
	AutoStart      *bool           `json:"autoStart"`         // nil: ask
	SkipMapping    *bool           `json:"skipMappingPhases"` // nil: where the file is read as one and nobody is asked
	Review         job.Review      `json:"review"`            // "": what is usual
	DryRun         bool            `json:"dryRun"`
	RetryOf        string          `json:"retryOf"`
	Profile        string          `json:"profile"`
	Label          string          `json:"label"`
	MaxErrors      job.ErrorLimit  `json:"maxErrors"`
	Notify         []string        `json:"notify"`
	planOptions

	// oneShot says that the endpoint's imports ask nobody, where the caller does not
	// want that.
	unattended bool
	file       submit.File
	sourceURL  string // from where the file is fetched, or ""
	// oncePerFile refuses a file that a batch has.
	oncePerFile bool
	// contextName is what the endpoint calls the context; "" is contextId.
	contextName string
}

// autoStart reports whether the import asks nobody: as the caller says, or as is usual at
// the endpoint, unless the caller wants the columns reviewed.
func (c *importRequest) autoStart() bool {
	switch {
	case c.AutoStart != nil:
		return *c.AutoStart
	case c.SkipMapping != nil && *c.SkipMapping:
		return true
	case c.Review != "" && c.Review != job.ReviewNever:
		return false
	}
	return c.unattended
}

// readCommonFields reads what every form with a file may say of its import. maxErrors is what
// that is called there.
func (c *importRequest) readCommonFields(v *values, maxErrors string) {
	c.Mapping, c.Label, c.Notify = v.json("mapping"), v.text("label"), v.list("notify")
	c.MaxErrors = job.ErrorLimit(v.text(maxErrors))
}

// accept takes on the import that a request asks for. endpoint is the route's
// own name: a key that was used at one does not fit another.
func (a *api) accept(r *http.Request, endpoint string, decl *entity.Declaration, c importRequest) (*submit.Accepted, error) {
	key, err := idempotencyKey(r)
	if err != nil {
		return nil, err
	}
	retryOf, err := submit.ParseRetryOf(c.RetryOf)
	if err != nil {
		return nil, err
	}
	return a.Imports.Accept(r.Context(), submit.Request{
		OrganisationID: organisationOf(r), RequestID: requestIDOf(r.Context()), Endpoint: endpoint, Key: key,
		Type: decl, ContextID: c.ContextID, ContextName: c.contextName, Mode: entity.Mode(c.Mode), Options: c.Options, Mapping: c.Mapping,
		AutoStart: c.autoStart(), SkipMapping: c.SkipMapping, Review: c.Review, DryRun: c.DryRun, Planning: c.planOptions.toPlanOptions(), RetryOf: retryOf, Profile: c.Profile, File: c.file, SourceURL: c.sourceURL,
		Label: c.Label, MaxErrors: c.MaxErrors, Notify: c.Notify,
		Uploader: callerName(r), OncePerFile: c.oncePerFile,
	})
}

// writeAcceptedHeaders sets the headers of a response to accepted work, and returns its
// status: the first response's, or 200 for a repetition.
func writeAcceptedHeaders(w http.ResponseWriter, location string, first int, a *submit.Accepted) int {
	w.Header().Set("Location", location)
	w.Header().Set("Retry-After", retryAfter)
	setKeyExpiry(w, a.KeyExpiresAt)
	if a.Repeated {
		return http.StatusOK
	}
	return first
}

// typeNamed returns the declaration of the type that a parameter names.
func typeNamed(t entity.Type, known bool, field, name string) (*entity.Declaration, error) {
	if !known {
		return nil, problem.New(problem.ImportTypeUnknown, "There is no import type %q.", entity.Shorten(name)).
			With(field, problem.ImportTypeUnknown, "One of those that GET /api/import-types lists.")
	}
	return t.Declaration(), nil
}
