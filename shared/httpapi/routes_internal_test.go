package httpapi

import (
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
)

// openapi.yaml and the routes have the same operations with the same path parameters.
func TestOpenAPIMatchesRoutes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()))
	require.Equal(t, "3.1.0", doc.OpenAPI)

	scopes := map[string]string{}
	var described, served []string
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			described = append(described, method+" "+path)
			scopes[method+" "+path] = scopeOf(t, operation)
			requireRefusal(t, operation)
			var named []string
			for _, p := range append(item.Parameters, operation.Parameters...) {
				if p.Value.In == openapi3.ParameterInPath {
					named = append(named, p.Value.Name)
				}
			}
			var inPath []string
			for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				inPath = append(inPath, m[1])
			}
			require.ElementsMatch(t, inPath, named, "path parameters of %s %s", method, path)
		}
	}
	a := &api{Dependencies: Dependencies{Types: catalog.New()}}
	for _, r := range append(a.routes(), operatorRoutes(nil)...) {
		served = append(served, r.method+" "+r.path)
		require.Equal(t, r.scope, scopes[r.method+" "+r.path], "scope of %s %s", r.method, r.path)
	}
	sort.Strings(described)
	sort.Strings(served)
	require.Equal(t, served, described)
}

// scopeOf returns the only scope that an operation requires, or "" for a public one.
func scopeOf(t *testing.T, o *openapi3.Operation) string {
	t.Helper()
	require.NotNil(t, o.Security, "%s declares no security", o.OperationID)
	if len(*o.Security) == 0 {
		return ""
	}
	require.Len(t, *o.Security, 1, o.OperationID)
	scopes := (*o.Security)[0]["token"]
	require.Len(t, scopes, 1, "%s has one scope", o.OperationID)
	return scopes[0]
}

// requireRefusal checks that each operation documents a 4xx response.
func requireRefusal(t *testing.T, o *openapi3.Operation) {
	t.Helper()
	for status := range o.Responses.Map() {
		if strings.HasPrefix(status, "4") {
			return
		}
	}
	require.Fail(t, "no 4xx response", o.OperationID)
}

// Only the listed routes have no scope.
func TestPublicRoutes(t *testing.T) {
	t.Parallel()
	a := &api{Dependencies: Dependencies{Types: catalog.New()}}
	for _, r := range operatorRoutes(nil) {
		require.Equal(t, "admin", r.scope, "%s %s", r.method, r.path)
	}
	var open []string
	for _, r := range a.routes() {
		if r.scope == "" {
			open = append(open, r.path)
			continue
		}
		want := "imports:"
		switch {
		case strings.HasPrefix(r.path, "/v1/exports"), strings.HasPrefix(r.path, "/api/exports"):
			want = "exports:"
		case strings.HasPrefix(r.path, "/api/admin"):
			want = scopeOperator
		case strings.HasPrefix(r.path, "/api/types"):
			want = "types:"
		case strings.HasPrefix(r.path, "/api/webhook"):
			want = "webhooks:"
		case strings.HasPrefix(r.path, "/api/settings") && r.method != "GET":
			want = "settings:"
		}
		switch {
		case want == scopeOperator:
		case strings.HasPrefix(r.path, "/api/organisation/"):
			want = scopeOrganisationWrite
		case r.path == "/api/tables": // only those who declare types may see other tables
			want = scopeTypesWrite
		case strings.HasSuffix(r.path, "/apply"):
			want += "approve"
		case r.path == "/api/import-types/guess": // reads only what the request contains
			want += "read"
		case r.method == "GET" && !strings.HasSuffix(r.path, "/upload"): // its response permits sending a file
			want += "read"
		default:
			want += "write"
		}
		require.Equal(t, want, r.scope, "%s %s", r.method, r.path)
	}
	require.ElementsMatch(t, []string{"/health", "/openapi.yaml", "/docs", "/redoc.js", "/api/auth", "/problems/{code}"}, open)
}
