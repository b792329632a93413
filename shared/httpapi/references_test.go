package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func TestListReferences(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := func(path string) (out []string) {
		for _, c := range decode[[]fields](b.do(t, get(path)), http.StatusOK) {
			out = append(out, c["displayName"].(string))
		}
		return out
	}
	require.Equal(t, []string{"Netherlands"}, names("/api/references/ID_COUNTRY?type=MEMBERSHIP&q=niederlande"), "the search finds names in other languages")
	require.Equal(t, "Germany", names("/api/references/ID_COUNTRY?type=MEMBERSHIP&value=Germny&size=1")[0])
	b.Exec(t, `INSERT INTO membership_types (organisation_id, name) VALUES (1, 'Senior'), (2, 'Junior')`)
	require.Equal(t, []string{"Senior"}, names("/api/references/MEMBERSHIP_TYPE_ID?type=MEMBERSHIP&contextId=11"), "other organisations' entities are hidden")
	b.do(t, get("/api/references/EMAIL?type=MEMBERSHIP")).requireProblem(404, problem.NotFound)
	for _, query := range []string{"", "?type=PLANET", "?type=MEMBERSHIP&contextId=x", "?type=MEMBERSHIP&search=x"} {
		b.do(t, get("/api/references/ID_COUNTRY"+query)).requireProblem(400, problem.ParameterInvalid)
	}
}
