package httpapi_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// TestEveryOperationRefusesParametersThatItDoesNotHave, whatever else is wrong
// with the request: one that meant nothing would do what nobody asked for.
func TestEveryOperationRefusesParametersThatItDoesNotHave(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	fill := strings.NewReplacer("{type}", "USER", "{uuid}", "00000000-0000-4000-8000-000000000000", "{jobId}", "x", "{batchId}", "x", "{id}", "1")
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if len(*operation.Security) == 0 {
				continue // open to all: monitors, caches and browsers add parameters of their own
			}
			t.Run(method+" "+path, func(t *testing.T) {
				t.Parallel()
				in := request{method: method, path: fill.Replace(path) + "?foo=1"}
				if strings.HasPrefix(path, "/api/admin/") {
					in.claims = map[string]string{"scope": "admin"}
				}
				p := b.do(t, in).refused(http.StatusBadRequest, problem.ParameterInvalid)
				require.Contains(t, p["errors"], fields{"field": "foo", "code": "PARAMETER_INVALID", "message": "There is no such parameter here."})
			})
		}
	}
}
