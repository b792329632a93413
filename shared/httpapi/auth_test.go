package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// A client without a token can read the sign-in configuration.
func TestAuthIsPublic(t *testing.T) {
	t.Parallel()
	b := setup(t)
	found := decode[fields](b.do(t, request{method: "GET", path: "/api/auth", anonymous: true}), http.StatusOK)
	require.Equal(t, fields{
		"required": true, "issuer": "https://id.example.org/", "clientId": "console", "commandClientId": nil, "audience": nil,
		"scopes": []any{"openid", "imports:read"}, "claims": fields{"organisation": "organisation_id", "scopes": "scope"},
	}, found)
	b.do(t, request{method: "GET", path: "/api/auth?organisation=1", anonymous: true}).requireProblem(http.StatusBadRequest, problem.ParameterInvalid)
}
