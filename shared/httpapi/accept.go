package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// importRequest is a request for an import from any endpoint. Its JSON names are those of the
// generic endpoint.
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
	AutoStart      *bool           `json:"autoStart"`         // nil: review
	SkipMapping    *bool           `json:"skipMappingPhases"` // nil: true if the file is read as one and there is no review
	Review         job.Review      `json:"review"`            // "": the default
	DryRun         bool            `json:"dryRun"`
	RetryOf        string          `json:"retryOf"`
	Profile        string          `json:"profile"`
	Label          string          `json:"label"`
	MaxErrors      job.ErrorLimit  `json:"maxErrors"`
	Notify         []string        `json:"notify"`
	planOptions

	// unattended means that the endpoint's imports have no review unless the caller requests one.
	unattended bool
	file       submit.File
	sourceURL  string // address from which to fetch the file, or ""
	// oncePerFile rejects a file that already belongs to a batch.
	oncePerFile bool
	// contextName is the endpoint's name of the context parameter; "" is contextId.
	contextName string
}

// autoStart reports whether the import starts without a review: the caller's choice or the
// endpoint's default, unless the caller requests a review of the columns.
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

// readCommonFields reads the options of an import that every form with a file supports. maxErrors
// is the form's name of that option.
func (c *importRequest) readCommonFields(v *values, maxErrors string) {
	c.Mapping, c.Label, c.Notify = v.json("mapping"), v.text("label"), v.list("notify")
	c.MaxErrors = job.ErrorLimit(v.text(maxErrors))
}

// accept accepts the import that a request asks for. endpoint is the name of the route: an
// idempotency key of one endpoint is not valid at another.
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
		Type: decl, ContextID: c.ContextID, ContextName: c.contextName, Mode: rowwrite.Mode(c.Mode), Options: c.Options, Mapping: c.Mapping,
		AutoStart: c.autoStart(), SkipMapping: c.SkipMapping, Review: c.Review, DryRun: c.DryRun, Planning: c.planOptions.toPlanOptions(), RetryOf: retryOf, Profile: c.Profile, File: c.file, SourceURL: c.sourceURL,
		Label: c.Label, MaxErrors: c.MaxErrors, Notify: c.Notify,
		Uploader: callerName(r), OncePerFile: c.oncePerFile,
	})
}

// writeAcceptedHeaders sets the headers of a response to accepted work and returns its status:
// first, or 200 for a repeated request.
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
		return nil, problem.New(problem.ImportTypeUnknown, "Unknown import type %q.", entity.Shorten(name)).
			With(field, problem.ImportTypeUnknown, "One of the types in GET /api/import-types.")
	}
	return t.Declaration(), nil
}
