package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// For an unknown word, the words of the field are the candidates, and it can be mapped to one of them
// or to no value.
func TestWordValueDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, values := b.createCellMappingImport(t)
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		return b.DB.AddCellMappings(t.Context(), tx, j, []job.MappedCell{
			{TargetField: "GENDER", Value: "Femal", Status: job.Unresolved, Rows: 5, FirstRow: 2},
			{TargetField: "GENDER", Value: "onbekend", Status: job.Unresolved, Rows: 1, FirstRow: 3},
		})
	})
	docs := byValue(decode[[]fields](b.sendJSON(t, "GET", id, "cell-mappings", nil), http.StatusOK))
	suggested := docs["Femal"]["suggestions"].([]any)[0].(fields)
	require.Equal(t, "FEMALE", suggested["value"])
	require.NotContains(t, suggested, "id")
	require.Nil(t, docs["Femal"]["targetValue"])
	require.Equal(t, []fields{{"value": "FEMALE", "displayName": "FEMALE"}, {"value": "MALE", "displayName": "MALE"}, {"value": "OTHER", "displayName": "OTHER"}},
		decode[[]fields](b.sendJSON(t, "GET", id, "cell-mappings/candidates?targetField=GENDER", nil), http.StatusOK))

	gender := int64(docs["Femal"]["id"].(float64))
	b.sendJSON(t, "PUT", id, "cell-mappings", []fields{{"id": gender, "targetValue": "neither"}}).requireProblem(422, problem.MappingInvalid)
	b.sendJSON(t, "PUT", id, "cell-mappings", []fields{{"id": values["kids"], "empty": true}}).requireProblem(422, problem.MappingInvalid)
	docs = byValue(decode[[]fields](b.sendJSON(t, "PUT", id, "cell-mappings", []fields{
		{"id": gender, "targetValue": "female"}, {"targetField": "GENDER", "empty": true},
		{"id": values["Elbonia"], "targetValue": "Zuid-Afrika"}, {"targetField": "MEMBERSHIP_TYPE_ID", "targetEntityId": 8},
	}), http.StatusAccepted))
	require.Equal(t, "FEMALE", docs["Femal"]["targetValue"])
	require.Equal(t, true, docs["onbekend"]["empty"])
	require.Equal(t, 710.0, docs["Elbonia"]["targetEntityId"])
	require.Equal(t, http.StatusAccepted, b.sendJSON(t, "POST", id, "cell-mappings/confirm", nil).Code)
}

// byValue returns the mappings by value.
func byValue(docs []fields) map[string]fields {
	found := make(map[string]fields, len(docs))
	for _, d := range docs {
		found[d["sourceValue"].(string)] = d
	}
	return found
}
