package httpapi

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/imports/adopt"
	"github.com/loadbay/loadbay/shared/imports/declaration"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// Declarations creates, changes and retires the types that organisations declare.
type Declarations interface {
	Create(ctx context.Context, by declaration.Caller, source []byte) (*declared.Version, error)
	Apply(ctx context.Context, by declaration.Caller, name string, expected int, dryRun bool, source []byte) (v *declared.Version, created bool, err error)
	Retire(ctx context.Context, by declaration.Caller, name string) (*declared.Version, error)
	// CheckGrants refuses a declaration of tables and rows that are not granted to the organisation.
	CheckGrants(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *declared.Declaration) (whole bool, err error)
}

// Page sizes of the versions of a type.
const (
	typeVersionsPage    = 20
	maxTypeVersionsPage = 50
)

// typeRoutes lists the operations on declared types.
func (a *api) typeRoutes() []route {
	const types, one = "/api/types", "/api/types/{type}"
	return []route{
		{"GET", types, scopeTypesRead, withoutQuery(a.listDeclaredTypes)},
		{"POST", types, scopeTypesWrite, withoutQuery(a.createType)},
		{"GET", types + "/schema", scopeTypesRead, withoutQuery(a.getTypeSchema)},
		{"GET", one, scopeTypesRead, withoutQuery(a.getType)},
		{"PUT", one, scopeTypesWrite, a.applyType},
		{"POST", one + "/retire", scopeTypesWrite, withoutQuery(a.retireType)},
		{"GET", one + "/versions", scopeTypesRead, a.listTypeVersions},
		{"GET", one + "/versions/{version}", scopeTypesRead, withoutQuery(a.getTypeVersion)},
	}
}

func declarationCaller(r *http.Request) declaration.Caller {
	return declaration.Caller{Organisation: organisationOf(r), Name: callerName(r)}
}

// readDeclaration returns the declaration in the body, in JSON or YAML.
func readDeclaration(r *http.Request) ([]byte, error) {
	if kind, _ := contentType(r); !slices.Contains([]string{"application/json", "application/yaml", "application/x-yaml", "text/yaml"}, kind) {
		return nil, problem.New(problem.MediaTypeInvalid, "Send application/yaml or application/json.")
	}
	source, err := io.ReadAll(io.LimitReader(r.Body, declared.MaxBytes+1))
	if err != nil {
		return nil, invalidJSON(err)
	}
	return source, nil
}

// writeType responds with a version of a type and its ETag, which a change must specify.
func writeType(w http.ResponseWriter, status int, v *declared.Version) error {
	w.Header().Set("ETag", strconv.Quote(strconv.Itoa(v.Number)))
	return writeJSON(w, status, toDeclaredType(v))
}

// listDeclaredTypes is GET /api/types. An organisation has few types, so the list has no pages.
func (a *api) listDeclaredTypes(w http.ResponseWriter, r *http.Request) error {
	var found []declared.Version
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, err = a.DB.DeclaredTypes(ctx, tx, organisationOf(r))
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]typeSummary, len(found))
	for i := range found {
		documents[i] = toTypeSummary(&found[i])
	}
	w.Header().Set("X-Total-Count", strconv.Itoa(len(documents)))
	return writeJSON(w, http.StatusOK, documents)
}

// createType is POST /api/types.
func (a *api) createType(w http.ResponseWriter, r *http.Request) error {
	source, err := readDeclaration(r)
	if err != nil {
		return err
	}
	v, err := a.Declarations.Create(r.Context(), declarationCaller(r), source)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/types/"+v.Declaration.Name)
	return writeType(w, http.StatusCreated, v)
}

// getTypeSchema is GET /api/types/schema: the JSON Schema of declarations.
func (a *api) getTypeSchema(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/schema+json")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(declared.Schema) // fails only if the caller has disconnected
	return nil
}

// getType is GET /api/types/{type}.
func (a *api) getType(w http.ResponseWriter, r *http.Request) error {
	v, err := a.loadTypeVersion(r, 0)
	if err != nil {
		return err
	}
	if wantsYAML(r) {
		w.Header().Set("ETag", strconv.Quote(strconv.Itoa(v.Number)))
		return writeDeclaration(w, v.Declaration)
	}
	return writeType(w, http.StatusOK, v)
}

// getTypeVersion is GET /api/types/{type}/versions/{version}.
func (a *api) getTypeVersion(w http.ResponseWriter, r *http.Request) error {
	number, err := strconv.Atoi(r.PathValue("version"))
	if err != nil || number < 1 || number > maxVersion {
		return problem.New(problem.NotFound, "The type does not have this version.")
	}
	v, err := a.loadTypeVersion(r, number)
	if err != nil {
		return err
	}
	if wantsYAML(r) {
		return writeDeclaration(w, v.Declaration)
	}
	return writeJSON(w, http.StatusOK, toDeclaredType(v))
}

// wantsYAML reports whether the caller wants the declaration alone, as it would be written in a file.
func wantsYAML(r *http.Request) bool { return r.Header.Get("Accept") == "application/yaml" }

func writeDeclaration(w http.ResponseWriter, d *declared.Declaration) error {
	text, err := (&adopt.Draft{Declaration: *d}).YAML()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/yaml")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(text) // fails only if the caller has disconnected
	return nil
}

// loadTypeVersion returns a version of the type in the path, the one in use if number is 0.
func (a *api) loadTypeVersion(r *http.Request, number int) (v *declared.Version, err error) {
	name := r.PathValue("type")
	if declared.ValidName(name) {
		err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
			v, err = a.DB.TypeVersion(ctx, tx, organisationOf(r), name, number)
			return err
		})
	}
	if err == nil && v == nil {
		err = problem.New(problem.NotFound, "Your organisation has no declared type %q, or not in this version.", entity.Shorten(name))
	}
	return v, err
}

// applyType is PUT /api/types/{type}: 201 if the type is new. A repeated request changes nothing.
func (a *api) applyType(w http.ResponseWriter, r *http.Request) error {
	query := newValues(r.URL.Query())
	dryRun := query.flag("dryRun")
	query.rejectUnknown("dryRun")
	if err := query.err(); err != nil {
		return err
	}
	expected := 0
	if len(r.Header.Values("If-Match")) > 0 {
		var err error
		if expected, err = ifMatchVersion(r); err != nil {
			return err
		}
	} else if r.Header.Get("If-None-Match") != "*" {
		return problem.New(problem.VersionRequired, "The version of the type is missing. Send its ETag in the If-Match header, or If-None-Match: * for a new type.").
			With("If-Match", problem.VersionRequired, `The ETag of the type when it was loaded: "3".`)
	}
	source, err := readDeclaration(r)
	if err != nil {
		return err
	}
	v, created, err := a.Declarations.Apply(r.Context(), declarationCaller(r), r.PathValue("type"), expected, dryRun, source)
	if err != nil {
		return err
	}
	if created && !dryRun {
		w.Header().Set("Location", "/api/types/"+v.Declaration.Name)
		return writeType(w, http.StatusCreated, v)
	}
	return writeType(w, http.StatusOK, v)
}

// retireType is POST /api/types/{type}/retire.
func (a *api) retireType(w http.ResponseWriter, r *http.Request) error {
	v, err := a.Declarations.Retire(r.Context(), declarationCaller(r), r.PathValue("type"))
	if err != nil {
		return err
	}
	return writeType(w, http.StatusOK, v)
}

// listTypeVersions is GET /api/types/{type}/versions, newest first.
func (a *api) listTypeVersions(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(typeVersionsPage, maxTypeVersionsPage)
	v.rejectUnknown(pageParams()...)
	if err := v.err(); err != nil {
		return err
	}
	if _, err := a.loadTypeVersion(r, 0); err != nil {
		return err
	}
	var found []declared.Version
	var total int64
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, total, err = a.DB.TypeVersions(ctx, tx, organisationOf(r), r.PathValue("type"), p.list())
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]typeSummary, len(found))
	for i := range found {
		documents[i] = toTypeSummary(&found[i])
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.TypeVersionCursor(&found[i]) }, total)
}
