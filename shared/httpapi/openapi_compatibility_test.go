package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"
)

func load(t *testing.T, text []byte) *openapi3.T {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	return document
}

func loadFile(t *testing.T, path string) *openapi3.T {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return load(t, text)
}

// knownBreaks lists the breaking changes since a release that the changelog announces. Adding an
// entry requires a decision; the list is allowed only before the first stable release.
var knownBreaks = map[string][]string{
	"0.1.0.yaml": {
		"Candidate may lack id", // words of a vocabulary have no id
		// Profiles have replaced remembered columns.
		"DELETE /api/import-types/{type}/remembered-columns/{id} is gone",
		"DELETE /api/import-types/{type}/remembered-values/{id} is gone",
		"Detected has no headerTruncated", // of lists, which no longer contain headers
		"GET /api/import-types/{type}/remembered-columns is gone",
		"GET /api/import-types/{type}/remembered-values is gone",
		// Entries of the list contain only the members that a list shows; a single import has all.
		"GET /api/imports answers[] has no autoStart",
		"GET /api/imports answers[] has no blankLines",
		"GET /api/imports answers[] has no cellMappings",
		"GET /api/imports answers[] has no columnMappings",
		"GET /api/imports answers[] has no contentType",
		"GET /api/imports answers[] has no detected",
		"GET /api/imports answers[] has no fileLines",
		"GET /api/imports answers[] has no freeFields",
		"GET /api/imports answers[] has no headerRows",
		"GET /api/imports answers[] has no moreCellMappings",
		"GET /api/imports answers[] has no moreColumnMappings",
		"GET /api/imports answers[] has no options",
		"GET /api/imports answers[] has no sha256",
		"GET /api/imports answers[] has no startedAt",
		"GET /api/imports answers[] has no upload",
		"GET /api/imports answers[] has no uploadedAt",
		"GET /api/imports answers[] has no warnings",
		"GET /v1/exports answers may lack detail",       // a sentence for people, in a redirect
		"PointsCalculator may only have 200 characters", // there are few calculators, all with short names
	},
}

// Everything that a client may send and read according to the description of a release, it may
// still send and read now.
func TestOpenAPIIsBackwardCompatible(t *testing.T) {
	t.Parallel()
	now := loadFile(t, "openapi.yaml")
	releases, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, releases)
	for _, path := range releases {
		require.Equal(t, knownBreaks[filepath.Base(path)], compareAPIs(loadFile(t, path), now), path)
	}
}

// The comparison finds each kind of breaking change, and reports none for pure additions.
func TestCompareFindsBreakingChanges(t *testing.T) {
	t.Parallel()
	describe := func(sent, read string) *openapi3.T {
		return load(t, fmt.Appendf(nil, `{openapi: 3.1.0, info: {title: T, version: '1'}, paths: {/a: {post: {
			parameters: [{name: p, in: query, schema: {type: string}}],
			requestBody: {content: {application/json: {schema: %s}}},
			responses: {'200': {description: D, content: {application/json: {schema: %s}}}}}}}}`, sent, read))
	}
	const sent, read = "{type: object, required: [a], properties: {a: {type: string, enum: [x, y]}, b: {type: integer}}}", "{type: object, required: [a], properties: {a: {type: string}, b: {type: array, items: {type: string}}}}"
	for name, c := range map[string]struct {
		sent, read string
		want       []string
	}{
		"nothing":                            {sent, read, nil},
		"request accepts more":               {"{type: object, properties: {a: {type: [string, integer]}, b: {type: number}, c: {type: string}}}", read, nil},
		"response contains more":             {sent, "{type: object, required: [a, c], properties: {a: {type: string}, b: {type: array, items: {type: string}}, c: {type: string}}}", nil},
		"request member becomes required":    {"{type: object, required: [a, b], properties: {a: {type: string}, b: {type: integer}}}", read, []string{"POST /a takes needs b"}},
		"request member is removed":          {"{type: object, additionalProperties: false, properties: {a: {type: string}}}", read, []string{"POST /a takes has no b"}},
		"enum value of a request is removed": {"{type: object, properties: {a: {type: string, enum: [x]}, b: {type: integer}}}", read, []string{"POST /a takes.a may not be y"}},
		"request member changes its type":    {"{type: object, properties: {a: {type: string}, b: {type: string}}}", read, []string{"POST /a takes.b is no integer any more"}},
		"response member is removed":         {sent, "{type: object, required: [a], properties: {a: {type: string}}}", []string{"POST /a answers has no b"}},
		"response member becomes optional":   {sent, "{type: object, properties: {a: {type: string}, b: {type: array, items: {type: string}}}}", []string{"POST /a answers may lack a"}},
		"response entries change their type": {sent, "{type: object, required: [a], properties: {a: {type: string}, b: {type: array, items: {type: integer}}}}", []string{"POST /a answers.b[] may be integer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, compareAPIs(describe(sent, read), describe(c.sent, c.read)))
		})
	}
	gone := load(t, []byte("{openapi: 3.1.0, info: {title: T, version: '1'}, paths: {}}"))
	require.Equal(t, []string{"POST /a is gone"}, compareAPIs(describe(sent, read), gone))
}

// lastRelease is the description of the last release in the way its clients read it: they ignore
// unknown members, and accept any string and number. Changes in knownBreaks are omitted.
var lastRelease = sync.OnceValues(func() (routers.Router, error) {
	text, err := os.ReadFile(filepath.Join("testdata", "0.1.0.yaml"))
	if err != nil {
		return nil, err
	}
	loose := strings.NewReplacer(
		"additionalProperties: false", "additionalProperties: true", "enum:", "x-enum:", "minimum:", "x-minimum:",
		"operationId: listImports", "operationId: listImports\n      x-broken: true",
	).Replace(string(text))
	document, err := openapi3.NewLoader().LoadFromData([]byte(loose))
	if err != nil {
		return nil, err
	}
	document.Components.Schemas["Candidate"].Value.Required = nil
	return legacy.NewRouter(document)
})

// requireOldClientReads fails the test if a client of the last release could not read a response.
func requireOldClientReads(t *testing.T, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	router, err := lastRelease()
	require.NoError(t, err)
	route, params, err := router.FindRoute(r)
	if err != nil || route.Operation.Responses.Status(w.Code) == nil || route.Operation.Extensions["x-broken"] != nil {
		return // unknown request
	}
	for name := range r.URL.Query() {
		if route.Operation.Parameters.GetByInAndName("query", name) == nil {
			return // unknown operation
		}
	}
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 w.Code, Header: w.Header(), Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())),
	})
	require.NoError(t, err, "the last release's client cannot decode the response of %s %s: %s", r.Method, r.URL, w.Body)
}
