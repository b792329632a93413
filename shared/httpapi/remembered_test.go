package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// remember makes organisation 1 remember two headers and two values of its users.
func (b *bundle) remember(t *testing.T) {
	t.Helper()
	b.in(t, func(tx pgx.Tx) error {
		j := &job.Job{OrganisationID: 1, ImportType: "USER"}
		err := b.DB.RememberColumns(t.Context(), tx, j, []job.ColumnDecision{
			{Key: "mail to", Header: "Mail to", TargetField: "EMAIL"}, {Key: "shoe size", Header: "Shoe size"},
		})
		require.NoError(t, err)
		return b.DB.RememberCells(t.Context(), tx, j, []job.CellDecision{
			{TargetField: "ROLE", Key: "boss", Value: "Boss", EntityID: "7"}, {TargetField: "ROLE", Key: "none", Value: "None"},
		})
	})
}

func TestRememberedDecisionsAreListedAndForgotten(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		label, decided string // members of the documents
		want           fields // what was decided, by label
	}{
		"remembered-columns": {label: "sourceHeader", decided: "targetField", want: fields{"Mail to": "EMAIL", "Shoe size": nil}},
		"remembered-values":  {label: "sourceValue", decided: "targetEntityId", want: fields{"Boss": 7.0, "None": nil}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.remember(t)
			path := "/api/import-types/USER/" + kind
			seen, ids := fields{}, map[string]any{}
			for page := range 2 {
				a := b.do(t, get(fmt.Sprintf("%s?size=1&page=%d", path, page)))
				require.Equal(t, "2", a.Header().Get("X-Total-Count"))
				for _, d := range decode[[]fields](a, http.StatusOK) {
					seen[d[c.label].(string)] = d[c.decided]
					ids[d[c.label].(string)] = d["id"]
				}
			}
			require.Equal(t, c.want, seen)
			for label, id := range ids {
				one := request{method: "DELETE", path: fmt.Sprintf("%s/%v", path, id)}
				elsewhere := request{method: "DELETE", path: fmt.Sprintf("/api/import-types/ARTICLE/%s/%v", kind, id)}
				stranger := one
				stranger.claims = map[string]string{"organisation_id": "2"}
				b.do(t, stranger).refused(404, problem.NotFound)
				b.do(t, elsewhere).refused(404, problem.NotFound)
				require.Equal(t, http.StatusNoContent, b.do(t, one).Code)
				b.do(t, one).refused(404, problem.NotFound)
				delete(seen, label)
				var left []string
				for _, d := range decode[[]fields](b.do(t, get(path)), http.StatusOK) {
					left = append(left, d[c.label].(string))
				}
				require.Len(t, left, len(seen))
			}
		})
	}
}

func TestRememberedDecisionsRefuse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.remember(t)
	b.do(t, get("/api/import-types/PLANET/remembered-columns")).refused(404, problem.NotFound)
	b.do(t, get("/api/import-types/USER/remembered-values?size=0")).refused(400, problem.ParameterInvalid)
	b.do(t, get("/api/import-types/USER/remembered-values?field=ROLE")).refused(400, problem.ParameterInvalid)
	b.do(t, request{method: "DELETE", path: "/api/import-types/USER/remembered-columns/x"}).refused(404, problem.NotFound)
	stranger := get("/api/import-types/USER/remembered-columns")
	stranger.claims = map[string]string{"organisation_id": "2"}
	require.Empty(t, decode[[]fields](b.do(t, stranger), http.StatusOK))
}

// TestOnlyWhatIsSaidOfAColumnIsRemembered leaves one column alone: it is left out of
// this import, but nobody has decided that it always is.
func TestOnlyWhatIsSaidOfAColumnIsRemembered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.asking(t)
	b.say(t, "PUT", id, "column-mappings", []fields{
		{"id": columns["Vorname?"], "targetField": "FIRST_NAME"}, {"id": columns["Kind of member"], "targetField": "MEMBERSHIP_TYPE_ID"},
	})
	require.Equal(t, http.StatusAccepted, b.say(t, "POST", id, "column-mappings/confirm", nil).Code)
	remembered := fields{}
	for _, d := range decode[[]fields](b.do(t, get("/api/import-types/MEMBERSHIP/remembered-columns")), http.StatusOK) {
		remembered[d["sourceHeader"].(string)] = d["targetField"]
	}
	require.Equal(t, fields{"Vorname?": "FIRST_NAME", "Kind of member": "MEMBERSHIP_TYPE_ID"}, remembered)
}

// TestADefaultForManyValuesIsNotRemembered: it is about this file's values, and about
// none of them by name.
func TestADefaultForManyValuesIsNotRemembered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, values := b.askingValues(t)
	b.say(t, "PUT", id, "cell-mappings", []fields{{"targetField": "MEMBERSHIP_TYPE_ID", "targetEntityId": 8}, {"id": values["Elbonia"], "ignore": true}})
	require.Equal(t, http.StatusAccepted, b.say(t, "POST", id, "cell-mappings/confirm", nil).Code)
	remembered := decode[[]fields](b.do(t, get("/api/import-types/MEMBERSHIP/remembered-values")), http.StatusOK)
	require.Len(t, remembered, 1)
	require.Equal(t, "Elbonia", remembered[0]["sourceValue"])
}
