package httpapi_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/organisation/registry"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// The names of claims are configurable, also for operators; claims with other names grant no
// access.
func TestConfiguredClaimNames(t *testing.T) {
	t.Parallel()
	names := httpapi.ClaimNames{Organisation: "https://example.org/org", Scopes: "permissions"}
	b := setupWith(t, names)
	log := telemetry.NewLogger(io.Discard, slog.LevelInfo)
	operating := b.operatorDependencies(registry.New(b.Operator, log))
	operating.Claims = names
	operators, err := httpapi.NewOperatorAPI(operating)
	require.NoError(t, err)
	status := func(h http.Handler, path string, claims map[string]string) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(httpapi.WithClaims(t.Context(), claims), http.MethodGet, path, http.NoBody))
		return w.Code
	}
	theirs := map[string]string{"https://example.org/org": "1", "permissions": "[imports:read settings:write]"}
	require.Equal(t, http.StatusOK, status(b.handler, "/api/imports", theirs))
	require.Equal(t, http.StatusForbidden, status(b.handler, "/api/exports", theirs))
	require.Equal(t, http.StatusForbidden, status(operators, "/api/admin/organisations", theirs))
	require.Equal(t, http.StatusOK, status(operators, "/api/admin/organisations", map[string]string{"permissions": "admin"}))

	standard := map[string]string{"organisation_id": "1", "organisation": "1", "scope": "imports:read admin", "scp": "imports:read admin"}
	require.Equal(t, http.StatusForbidden, status(b.handler, "/api/imports", standard))
	require.Equal(t, http.StatusForbidden, status(operators, "/api/admin/organisations", standard))
	require.Equal(t, http.StatusForbidden, status(b.handler, "/api/imports", map[string]string{"https://example.org/org": "1", "scope": "imports:read"}))

	found := decode[fields](b.do(t, request{method: "GET", path: "/api/auth", anonymous: true}), http.StatusOK)
	require.Equal(t, fields{"organisation": "https://example.org/org", "scopes": "permissions"}, found["claims"])
	b.do(t, request{method: "GET", path: "/api/imports"}).requireProblem(http.StatusForbidden, problem.OrgRequired)
}
