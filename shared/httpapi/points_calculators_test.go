package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

const calculatorsPath = "/api/settings/points-calculators"

func (b *bundle) putCalculators(t *testing.T, body string) apiResponse {
	t.Helper()
	return b.do(t, request{method: "PUT", path: calculatorsPath, body: body, contentType: "application/json"})
}

// Calculators are identified by their code and by a class name, and belong to one organisation.
func TestOrganisationPointsCalculators(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	document := decode[fields](b.do(t, get(calculatorsPath)), http.StatusOK)
	require.Equal(t, "none", document["builtIn"].([]any)[0].(fields)["code"])
	require.Empty(t, document["calculators"])

	own := `[{"code": "b-league", "className": "org.example.SaSchoolPoints", "about": "Ours", "table": [3, 2, 2, 0]}, {"code": "a-league", "percent": true, "decimals": 3}]`
	document = decode[fields](b.putCalculators(t, own), http.StatusOK)
	require.Equal(t, []any{
		fields{"code": "a-league", "percent": true, "decimals": 3.0},
		fields{"code": "b-league", "className": "org.example.SaSchoolPoints", "about": "Ours", "table": []any{3.0, 2.0, 2.0, 0.0}},
	}, document["calculators"])
	require.Equal(t, document, decode[fields](b.do(t, get(calculatorsPath)), http.StatusOK))

	upload := func(calculator string) apiResponse {
		body, contentType := form(t, part{"file", "results.csv", "Category,Seq,EPID\nElite,1,11\n"})
		return b.do(t, request{method: "PUT", path: "/api/result-sets/import-bulk?eventId=31&pointsCalculator=" + calculator, body: body, contentType: contentType})
	}
	for given, want := range map[string]string{
		"b-league": "b-league", "org.example.SaSchoolPoints": "b-league", "org.other.SaSchoolPoints": "sa-school",
		"za.org.WPCARoadLeaguePointsCalculator": "wpca-road-league", "none": "none",
	} {
		require.Equal(t, want, decode[fields](upload(given), http.StatusAccepted)["options"].(fields)["pointsCalculator"], given)
	}
	for _, unknown := range []string{"c-league", "org.example.Fifa", strings.Repeat("x", 300)} {
		p := upload(unknown).requireProblem(400, problem.OptionInvalid)
		require.Equal(t, "pointsCalculator", p["errors"].([]any)[0].(fields)["field"])
	}
	require.Empty(t, decode[fields](b.do(t, request{method: "GET", path: calculatorsPath, claims: map[string]string{"organisation_id": "2", "scope": "imports:read"}}), http.StatusOK)["calculators"])
	require.Empty(t, decode[fields](b.putCalculators(t, `[]`), http.StatusOK)["calculators"])
	upload("b-league").requireProblem(400, problem.OptionInvalid)
}

func TestInvalidPointsCalculators(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, body := range []string{
		`[{"code": "None", "percent": true}]`, `[{"code": "none", "percent": true}]`, `[{"code": "a"}]`, `[{"code": "a", "table": [1, 2]}]`,
		`[{"code": "a", "percent": true}, {"code": "a", "percent": true}]`, `[{"code": "a", "className": "A", "percent": true}]`,
	} {
		b.putCalculators(t, body).requireProblem(400, problem.ParameterInvalid)
	}
	b.do(t, request{method: "PUT", path: calculatorsPath, body: `[]`, contentType: "application/json", claims: map[string]string{"scope": "imports:write"}}).requireProblem(403, problem.ScopeRequired)
	require.Empty(t, decode[fields](b.do(t, get(calculatorsPath)), http.StatusOK)["calculators"])
}
