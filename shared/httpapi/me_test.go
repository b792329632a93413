package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func TestMe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE organisations SET name = 'Harbour Athletics' WHERE id = 1`)
	found := decode[fields](b.do(t, request{method: "GET", path: "/api/me", claims: map[string]string{"sub": "ada", "scope": "imports:read exports:read"}}), http.StatusOK)
	require.Equal(t, fields{"subject": "ada", "organisationId": 1.0, "organisationName": "Harbour Athletics", "scopes": []any{"imports:read", "exports:read"}}, found)
	stranger := decode[fields](b.do(t, request{method: "GET", path: "/api/me", claims: map[string]string{"organisation_id": "99"}}), http.StatusOK)
	require.Nil(t, stranger["organisationName"])
	b.do(t, request{method: "GET", path: "/api/me", claims: map[string]string{"scope": "exports:read"}}).requireProblem(403, problem.ScopeRequired)
}

func TestContextsOfOrganisation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `DELETE FROM membership_periods; INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES
		(101, 1, 'Season 2025', '2025-01-01', '2025-12-31'), (102, 1, 'Season 2026', '2026-01-01', '2026-12-31'), (103, 2, 'Season 2027', '2027-01-01', '2027-12-31')`)
	ids := func(query string) (out []float64) {
		for _, c := range decode[[]fields](b.do(t, request{method: "GET", path: "/api/contexts?type=MEMBERSHIP" + query}), http.StatusOK) {
			out = append(out, c["id"].(float64))
		}
		return out
	}
	require.Equal(t, []float64{102, 101}, ids(""), "newest first, without other organisations")
	require.Equal(t, []float64{101}, ids("&q=season+2025"))
	require.Empty(t, ids("&q=%25"), "a percent sign is not a wildcard")
	page := b.do(t, request{method: "GET", path: "/api/contexts?type=MEMBERSHIP&size=1"})
	require.Equal(t, "2", page.Header().Get("X-Total-Count"))
	require.Equal(t, "2026-01-01", decode[[]fields](page, http.StatusOK)[0]["startsOn"])
	beyond := b.do(t, request{method: "GET", path: "/api/contexts?type=MEMBERSHIP&page=9"})
	require.Empty(t, decode[[]fields](beyond, http.StatusOK))
	require.Equal(t, "2", beyond.Header().Get("X-Total-Count"))
	for _, query := range []string{"", "?type=USER", "?type=PLANET", "?type=MEMBERSHIP&foo=1"} {
		b.do(t, request{method: "GET", path: "/api/contexts" + query}).requireProblem(400, problem.ParameterInvalid)
	}
}
