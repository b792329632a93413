package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/organisation/apikey"
	"github.com/loadbay/loadbay/shared/problem"
)

const keysPath = "/api/settings/api-keys"

// createKey creates an API key of organisation 1.
func (b *bundle) createKey(t *testing.T, name string, scopes ...string) fields {
	t.Helper()
	body := fmt.Sprintf(`{"name": %q, "scopes": ["%s"]}`, name, strings.Join(scopes, `", "`))
	return decode[fields](b.do(t, request{method: "POST", path: keysPath, body: body, contentType: "application/json"}), http.StatusCreated)
}

// useKey sends a request with an API key, as API Gateway passes it on: without claims.
func (b *bundle) useKey(t *testing.T, key any, in request) apiResponse {
	t.Helper()
	in.anonymous, in.headers = true, map[string]string{"Authorization": fmt.Sprint("Bearer ", key)}
	in.path = "/key" + in.path
	return b.send(t, in)
}

func TestKeyActsForItsOrganisation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.createKey(t, "nightly", "imports:read", "imports:write")
	key := made["key"].(string)
	require.True(t, strings.HasPrefix(key, "lbk_1_"))
	require.Equal(t, "tester", made["createdBy"])

	me := decode[fields](b.useKey(t, key, request{method: "GET", path: "/api/me"}), http.StatusOK)
	require.Equal(t, "key:nightly", me["subject"])
	require.InDelta(t, 1, me["organisationId"], 0)
	require.Equal(t, []any{"imports:read", "imports:write"}, me["scopes"])
	b.useKey(t, key, request{method: "GET", path: "/api/webhook"}).requireProblem(403, problem.ScopeRequired)
	b.useKey(t, key, request{method: "DELETE", path: "/api/admin/organisations/1/imports/x"}).requireProblem(403, problem.ScopeRequired)
	b.useKey(t, key, request{method: "GET", path: "/api/nothing"}).requireProblem(404, problem.NotFound)

	listed := decode[[]fields](b.do(t, request{method: "GET", path: keysPath}), http.StatusOK)
	require.Len(t, listed, 1)
	require.NotNil(t, listed[0]["lastUsedAt"])
	require.NotContains(t, listed[0], "key")
	require.Empty(t, decode[[]fields](b.do(t, request{method: "GET", path: keysPath, claims: map[string]string{"organisation_id": "2"}}), http.StatusOK))
	logged := fmt.Sprint(b.logs.lines(t))
	require.NotContains(t, logged, key)
	require.Contains(t, logged, "API key created")
}

func TestRefusedKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.createKey(t, "nightly", "imports:read")
	key := made["key"].(string)
	refused := func(key string) {
		t.Helper()
		response := b.useKey(t, key, request{method: "GET", path: "/api/me"})
		response.requireProblem(401, problem.Unauthorized)
		require.Equal(t, "Bearer", response.Header().Get("WWW-Authenticate"))
	}
	for _, wrong := range []string{"", "x", key[:len(key)-2] + "AA", strings.Replace(key, "lbk_1_", "lbk_2_", 1), strings.Replace(key, "lbk_1_", "lbk_999_", 1)} {
		refused(wrong)
	}
	// A token's claims do not count below /key, and a key does not count elsewhere.
	b.send(t, request{method: "GET", path: "/key/api/me"}).requireProblem(401, problem.Unauthorized)
	b.do(t, request{method: "GET", path: "/api/me", anonymous: true, headers: map[string]string{"Authorization": "Bearer " + key}}).requireProblem(401, problem.Unauthorized)

	b.Exec(t, `UPDATE api_keys SET expires_at = now() - interval '1 second'`)
	refused(key)
	b.Exec(t, `UPDATE api_keys SET expires_at = now() + interval '1 day'`)
	require.Equal(t, http.StatusOK, b.useKey(t, key, request{method: "GET", path: "/api/me"}).Code)
	revoke := request{method: "DELETE", path: keysPath + "/" + made["id"].(string)}
	foreign := revoke
	foreign.claims = map[string]string{"organisation_id": "2"}
	b.do(t, foreign).requireProblem(404, problem.NotFound)
	require.Equal(t, http.StatusNoContent, b.do(t, revoke).Code)
	refused(key)
	b.do(t, revoke).requireProblem(404, problem.NotFound)
	listed := decode[[]fields](b.do(t, request{method: "GET", path: keysPath}), http.StatusOK)
	require.Equal(t, "tester", listed[0]["revokedBy"])
	b.createKey(t, "Nightly", "imports:read") // the name of a revoked key is free
}

func TestKeyRotationKeepsFormerKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.createKey(t, "nightly", "imports:read")
	path := keysPath + "/" + made["id"].(string) + "/rotate"
	rotated := decode[fields](b.do(t, request{method: "POST", path: path, body: `{"expiresInDays": 7}`, contentType: "application/json"}), http.StatusOK)
	require.NotEqual(t, made["key"], rotated["key"])
	require.NotNil(t, rotated["previousUntil"])
	accepted := func(key any) int { return b.useKey(t, key, request{method: "GET", path: "/api/me"}).Code }
	require.Equal(t, http.StatusOK, accepted(made["key"]))
	require.Equal(t, http.StatusOK, accepted(rotated["key"]))
	b.Exec(t, `UPDATE api_keys SET previous_until = now() - interval '1 second'`)
	require.Equal(t, http.StatusUnauthorized, accepted(made["key"]))
	require.Equal(t, http.StatusOK, accepted(rotated["key"]))
	require.Equal(t, http.StatusOK, b.do(t, request{method: "POST", path: path}).Code, "the body is optional")
	b.do(t, request{method: "POST", path: keysPath + "/nothing/rotate"}).requireProblem(404, problem.NotFound)
	b.do(t, request{method: "POST", path: keysPath + "/01a1f9e7-1bde-7bf8-ac8c-500f93581dd4/rotate"}).requireProblem(404, problem.NotFound)
}

// A key has no more rights than the person who created it, and cannot create others.
func TestKeyCreationIsLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(body string, claims map[string]string) apiResponse {
		return b.do(t, request{method: "POST", path: keysPath, body: body, contentType: "application/json", claims: claims})
	}
	create(`{"name": "a", "scopes": ["imports:approve"]}`, nil).requireProblem(403, problem.ScopeRequired)
	create(`{"name": "a", "scopes": ["admin"]}`, map[string]string{"scope": "settings:write admin"}).requireProblem(400, problem.ParameterInvalid)
	create(`{"name": "a", "scopes": ["imports:read"]}`, map[string]string{"scope": "imports:read"}).requireProblem(403, problem.ScopeRequired)
	for _, wrong := range []string{
		`{"name": "", "scopes": ["imports:read"]}`, `{"name": "a\nb", "scopes": ["imports:read"]}`, `{"name": " a", "scopes": ["imports:read"]}`, `{"name": "a", "scopes": []}`,
		`{"name": "a", "scopes": ["imports:read"], "expiresInDays": 0}`, `{"name": "a", "scopes": ["imports:read"], "expiresInDays": 367}`,
	} {
		create(wrong, nil).requireProblem(400, problem.ParameterInvalid)
	}
	key := b.createKey(t, "settings", "settings:write", "imports:read")
	again := request{method: "POST", path: keysPath, body: `{"name": "b", "scopes": ["imports:read"]}`, contentType: "application/json"}
	b.useKey(t, key["key"], again).requireProblem(403, problem.ScopeRequired)
	b.useKey(t, key["key"], request{method: "POST", path: keysPath + "/" + key["id"].(string) + "/rotate"}).requireProblem(403, problem.ScopeRequired)
	create(`{"name": "SETTINGS", "scopes": ["imports:read"]}`, nil).requireProblem(409, problem.EntityExists)

	for i := range apikey.MaxActive - 1 {
		b.createKey(t, fmt.Sprint("key ", i), "imports:read")
	}
	create(`{"name": "too many", "scopes": ["imports:read"]}`, nil).requireProblem(422, problem.TooManyKeys)
	b.Exec(t, `UPDATE api_keys SET expires_at = now() - interval '91 days' WHERE name = 'key 1'`)
	b.createKey(t, "the last one", "imports:read")
	require.Len(t, decode[[]fields](b.do(t, request{method: "GET", path: keysPath}), http.StatusOK), apikey.MaxActive, "the old key is deleted")
}

// Responses name the rest of the minute's requests.
func TestRateLimitFields(t *testing.T) {
	t.Parallel()
	b := setup(t)
	h := b.do(t, request{method: "GET", path: "/api/me"}).Header()
	require.Equal(t, `"requests";q=100000;w=60`, h.Get("RateLimit-Policy"))
	require.Regexp(t, `^"requests";r=\d+;t=\d+$`, h.Get("RateLimit"))
	require.Empty(t, b.do(t, request{method: "GET", path: "/api/auth", anonymous: true}).Header().Get("RateLimit"))
}
