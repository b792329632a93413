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

// knownBreaks is what clients of a release stumble over, as the changelog tells them. Another
// entry is a decision to be made, and before the first release that keeps its promises only.
var knownBreaks = map[string][]string{
	"0.1.0.yaml": {
		"Candidate may lack id", // words of a vocabulary have none
		// Profiles have replaced what was remembered.
		"DELETE /api/import-types/{type}/remembered-columns/{id} is gone",
		"DELETE /api/import-types/{type}/remembered-values/{id} is gone",
		"Detected has no headerTruncated", // it was of lists, which have no headers any more
		"GET /api/import-types/{type}/remembered-columns is gone",
		"GET /api/import-types/{type}/remembered-values is gone",
		// Entries of the list hold what a list shows; an import by itself has all.
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
		"PointsCalculator may only have 200 characters", // of which there are a few, all short
	},
}

// TestOpenAPIIsBackwardCompatible: whatever a client may send and read by the
// description of a release, it may send and read now.
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

// TestCompareFindsBreakingChanges: the comparison sees each way in which clients are left behind, and
// nothing in what only adds.
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
		"nothing":                    {sent, read, nil},
		"more is taken":              {"{type: object, properties: {a: {type: [string, integer]}, b: {type: number}, c: {type: string}}}", read, nil},
		"more is said":               {sent, "{type: object, required: [a, c], properties: {a: {type: string}, b: {type: array, items: {type: string}}, c: {type: string}}}", nil},
		"a member is needed":         {"{type: object, required: [a, b], properties: {a: {type: string}, b: {type: integer}}}", read, []string{"POST /a takes needs b"}},
		"a member is refused":        {"{type: object, additionalProperties: false, properties: {a: {type: string}}}", read, []string{"POST /a takes has no b"}},
		"a word is refused":          {"{type: object, properties: {a: {type: string, enum: [x]}, b: {type: integer}}}", read, []string{"POST /a takes.a may not be y"}},
		"another type is wanted":     {"{type: object, properties: {a: {type: string}, b: {type: string}}}", read, []string{"POST /a takes.b is no integer any more"}},
		"a member is missing":        {sent, "{type: object, required: [a], properties: {a: {type: string}}}", []string{"POST /a answers has no b"}},
		"a member may be missing":    {sent, "{type: object, properties: {a: {type: string}, b: {type: array, items: {type: string}}}}", []string{"POST /a answers may lack a"}},
		"entries are something else": {sent, "{type: object, required: [a], properties: {a: {type: string}, b: {type: array, items: {type: integer}}}}", []string{"POST /a answers.b[] may be integer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, compareAPIs(describe(sent, read), describe(c.sent, c.read)))
		})
	}
	gone := load(t, []byte("{openapi: 3.1.0, info: {title: T, version: '1'}, paths: {}}"))
	require.Equal(t, []string{"POST /a is gone"}, compareAPIs(describe(sent, read), gone))
}

// lastRelease is the description of the last release as its clients read it, who leave out
// members that they do not know, and take any word and number. What is in broken is left out.
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
		return // it knows no such request
	}
	for name := range r.URL.Query() {
		if route.Operation.Parameters.GetByInAndName("query", name) == nil {
			return // nor this one
		}
	}
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 w.Code, Header: w.Header(), Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())),
	})
	require.NoError(t, err, "the last release cannot read what %s %s answers: %s", r.Method, r.URL, w.Body)
}
