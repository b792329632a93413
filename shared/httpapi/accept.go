package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
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
	Options        json.RawMessage `json:"options"`
	Mapping        json.RawMessage `json:"mapping"`
	job.ImportOptions

	// unattended means that the endpoint's imports have no review unless the caller requests one.
	unattended bool
	file       submit.File
	sourceURL  string // address from which to fetch the file, or ""
	// oncePerFile rejects a file that already belongs to a batch.
	oncePerFile bool
	// contextName is the endpoint's name of the context parameter; "" is contextId.
	contextName string
}

// accept accepts the import that a request asks for. endpoint is the name of the route: an
// idempotency key of one endpoint is not valid at another.
func (a *api) accept(r *http.Request, endpoint string, decl *entity.Declaration, c importRequest) (*submit.Accepted, error) {
	key, err := idempotencyKey(r)
	if err != nil {
		return nil, err
	}
	return a.Imports.Accept(r.Context(), submit.Request{
		OrganisationID: organisationOf(r), RequestID: requestIDOf(r.Context()), Endpoint: endpoint, Key: key,
		Type: decl, ContextID: c.ContextID, ContextName: c.contextName, Options: c.Options, Mapping: c.Mapping,
		ImportOptions: c.ImportOptions, Unattended: c.unattended, File: c.file, SourceURL: c.sourceURL,
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

// typeInUse returns the declaration of the type that a parameter names, in the version in use.
func (a *api) typeInUse(r *http.Request, field, name string) (*entity.Declaration, error) {
	t, err := a.kindInUse(r, field, name)
	if err != nil {
		return nil, err
	}
	return t.Declaration(), nil
}

// kindInUse returns the type that a parameter names, in the version in use.
func (a *api) kindInUse(r *http.Request, field, name string) (entity.Type, error) {
	t, err := a.Types.Type(r.Context(), nil, organisationOf(r), name, 0)
	if problem.CodeOf(err) == problem.ImportTypeUnknown {
		return nil, unknownType(field, name)
	}
	return t, err
}

// unknownType returns the error of a parameter that names no type.
func unknownType(field, name string) error {
	return problem.New(problem.ImportTypeUnknown, "Unknown import type %q.", entity.Shorten(name)).
		With(field, problem.ImportTypeUnknown, "One of the types in GET /api/import-types.")
}

// typeByResource returns the declaration of the type with a name in /v1, in the version in use.
func (a *api) typeByResource(r *http.Request, field, resource string) (*entity.Declaration, error) {
	t, err := a.kindByResource(r, field, resource)
	if err != nil {
		return nil, err
	}
	return t.Declaration(), nil
}

// kindByResource returns the type with a name in /v1, in the version in use.
func (a *api) kindByResource(r *http.Request, field, resource string) (entity.Type, error) {
	name := strings.ToUpper(resource)
	if t, known := a.Types.ByResource(resource); known {
		name = t.Declaration().Name
	} else if resource != strings.ToLower(resource) {
		return nil, unknownType(field, resource)
	}
	t, err := a.kindInUse(r, field, name)
	if err == nil && t.Declaration().Resource != resource {
		return nil, unknownType(field, resource) // the name in /api of a compiled type
	}
	return t, err
}
