package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// samplePath replaces the parameters of paths by values.
var samplePath = strings.NewReplacer("{type}", "USER", "{importId}", "00000000-0000-4000-8000-000000000000", "{batchId}", "x", "{exportId}", "1", "{profileId}", "1", "{fileId}", "1", "{keyId}", "1")

// Unknown parameters are rejected, regardless of other errors in the request: ignoring one could
// have an unintended effect.
func TestUnknownParametersAreRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if len(*operation.Security) == 0 {
				continue // public: monitors, caches and browsers add parameters of their own
			}
			t.Run(method+" "+path, func(t *testing.T) {
				t.Parallel()
				in := request{method: method, path: samplePath.Replace(path) + "?foo=1"}
				in.claims = claimsWithScopes(operation)
				p := b.do(t, in).requireProblem(http.StatusBadRequest, problem.ParameterInvalid)
				require.Contains(t, p["errors"], fields{"field": "foo", "code": "PARAMETER_INVALID", "message": "Unknown parameter."})
			})
		}
	}
}

// claimsWithScopes returns the claims of a token with the scopes that the operation requires.
func claimsWithScopes(o *openapi3.Operation) map[string]string {
	var scopes []string
	for _, each := range *o.Security {
		scopes = append(scopes, each["token"]...)
	}
	return map[string]string{"scope": strings.Join(scopes, " ")}
}

// The parameters in openapi.yaml are accepted.
func TestDocumentedParametersAreAccepted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for _, p := range operation.Parameters {
				if p.Value.In != openapi3.ParameterInQuery {
					continue
				}
				t.Run(method+" "+path+" "+p.Value.Name, func(t *testing.T) {
					t.Parallel()
					in := request{method: method, path: samplePath.Replace(path) + "?" + p.Value.Name + "=" + sampleValue(p.Value)}
					in.claims = claimsWithScopes(operation)
					require.NotContains(t, b.do(t, in).Body.String(), "Unknown parameter.")
				})
			}
		}
	}
}

// sampleValue returns a valid value of a parameter.
func sampleValue(p *openapi3.Parameter) string {
	schema := p.Schema.Value
	switch {
	case p.Example != nil:
		return url.QueryEscape(fmt.Sprint(p.Example))
	case len(schema.Enum) > 0:
		return fmt.Sprint(schema.Enum[0])
	case schema.Type.Is("boolean"):
		return "true"
	}
	return "1"
}
