package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	googleuuid "github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/imports/pastanswer"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// answered saves an answer of so many imports, and returns their ids, the newest first.
func (b *bundle) answered(t *testing.T, organisation tenant.ID, importType string, s pastanswer.Subject, a pastanswer.Answer, imports int) (ids []any) {
	t.Helper()
	for range imports {
		id := job.ID(googleuuid.NewString())
		ids = append([]any{string(id)}, ids...)
		given := []pastanswer.Given{{Answer: a, Import: id, At: time.Now()}}
		require.NoError(t, b.DB.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
			return b.DB.AddPastAnswers(t.Context(), tx, organisation, []pastanswer.Entry{{ID: s.ID(importType), ImportType: importType, Subject: s, Answers: given}}, pastanswer.MaxEntries)
		}))
	}
	return ids
}

func TestPastAnswersAreSuggestedFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	header := b.answered(t, 1, "MEMBERSHIP", pastanswer.Subject{Text: "KIND of  member"}, pastanswer.Answer{TargetField: "MEMBERSHIP_TYPE_ID"}, 4)[:3]
	b.answered(t, 1, "MEMBERSHIP", pastanswer.Subject{Text: "Shoe size"}, pastanswer.Answer{Ignore: true}, 3)
	b.answered(t, 1, "MEMBERSHIP", pastanswer.Subject{Text: "Vorname?"}, pastanswer.Answer{TargetField: "GONE"}, 3)
	b.answered(t, 2, "MEMBERSHIP", pastanswer.Subject{Text: "Vorname?"}, pastanswer.Answer{TargetField: "FIRST_NAME"}, 3)
	value := b.answered(t, 1, "MEMBERSHIP", pastanswer.Subject{Field: "MEMBERSHIP_TYPE_ID", Text: "kids"}, pastanswer.Answer{EntityID: "7"}, 3)
	b.answered(t, 1, "MEMBERSHIP", pastanswer.Subject{Field: "MEMBERSHIP_TYPE_ID", Text: "babies"}, pastanswer.Answer{EntityID: "4711"}, 3) // deleted
	id, _ := b.createColumnMappingImport(t)
	byHeader := make(map[any]fields)
	for _, c := range decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK) {
		byHeader[c["sourceHeader"]] = c
	}
	require.Equal(t, fields{"targetField": "MEMBERSHIP_TYPE_ID", "imports": header}, byHeader["Kind of member"]["pastAnswer"])
	require.Equal(t, "UNRESOLVED", byHeader["Kind of member"]["status"])
	first := byHeader["Kind of member"]["candidates"].([]any)[0].(fields)
	require.Equal(t, []any{"MEMBERSHIP_TYPE_ID", "pastAnswers"}, []any{first["field"], first["reason"]})
	require.Equal(t, true, byHeader["Shoe size"]["pastAnswer"].(fields)["ignore"])
	require.NotContains(t, byHeader["Vorname?"], "pastAnswer", "the field does not exist any more, and the other answer is that of another organisation")
	doc := decode[fields](b.do(t, get("/api/imports/"+id+"?includeMappings=true")), http.StatusOK)
	require.Equal(t, byHeader["Shoe size"]["pastAnswer"], doc["columnMappings"].([]any)[3].(fields)["pastAnswer"])

	id, _ = b.createCellMappingImport(t)
	byValue := make(map[any]fields)
	for _, c := range decode[[]fields](b.sendJSON(t, "GET", id, "cell-mappings", nil), http.StatusOK) {
		byValue[c["sourceValue"]] = c
	}
	require.Equal(t, fields{"targetEntityId": 7.0, "imports": value}, byValue["kids"]["pastAnswer"])
	require.Equal(t, "Adult", byValue["kids"]["suggestions"].([]any)[0].(fields)["displayName"])
	require.NotContains(t, byValue["babies"], "pastAnswer")
	ranked := decode[[]fields](b.sendJSON(t, "GET", id, "cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID&value=kids", nil), http.StatusOK)
	require.Equal(t, "Adult", ranked[0]["displayName"])
}

func TestPastAnswersCanBeListedAndDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	header, value := pastanswer.Subject{Text: "Kontakt"}, pastanswer.Subject{Field: "SERVICE_TYPE", Text: "schnell"}
	b.answered(t, 1, "USER", header, pastanswer.Answer{TargetField: "EMAIL"}, 2)
	b.answered(t, 1, "USER", header, pastanswer.Answer{TargetField: "NAME"}, 1)
	b.answered(t, 1, "ORDER", value, pastanswer.Answer{TargetValue: "EXPRESS"}, 3)
	b.answered(t, 2, "USER", header, pastanswer.Answer{TargetField: "EMAIL"}, 3)
	list := func(query string) []fields {
		return decode[[]fields](b.do(t, get("/api/past-answers"+query)), http.StatusOK)
	}
	require.Len(t, list(""), 2)
	users := list("?importType=USER")
	require.Len(t, users, 1)
	require.Equal(t, []any{"USER", nil, "Kontakt", false}, []any{users[0]["importType"], users[0]["field"], users[0]["text"], users[0]["isSuggested"]})
	require.Len(t, users[0]["answers"], 3)
	require.Equal(t, "NAME", users[0]["answers"].([]any)[0].(fields)["targetField"])
	orders := list("?importType=ORDER")
	require.Equal(t, []any{"SERVICE_TYPE", true}, []any{orders[0]["field"], orders[0]["isSuggested"]})
	b.do(t, get("/api/past-answers?importType=NOTHING")).requireProblem(400, problem.ParameterInvalid)

	one := request{method: "DELETE", path: "/api/past-answers/" + users[0]["id"].(string)}
	require.Equal(t, http.StatusNoContent, b.do(t, one).Code)
	b.do(t, one).requireProblem(404, problem.NotFound)
	b.do(t, request{method: "DELETE", path: "/api/past-answers/" + googleuuid.NewString()}).requireProblem(404, problem.NotFound)
	require.Len(t, list(""), 1)
	require.Equal(t, http.StatusNoContent, b.do(t, request{method: "DELETE", path: "/api/past-answers?importType=USER"}).Code)
	require.Len(t, list(""), 1)
	require.Equal(t, http.StatusNoContent, b.do(t, request{method: "DELETE", path: "/api/past-answers"}).Code)
	require.Empty(t, list(""))
	require.NoError(t, b.DB.InOrganisation(t.Context(), 2, func(tx pgx.Tx) error {
		_, total, err := b.DB.ListPastAnswers(t.Context(), tx, "", job.Page{Limit: 10})
		require.Equal(t, int64(1), total, "another organisation keeps its own")
		return err
	}))
}

// Beyond the quota, the headers and values that were answered longest ago are forgotten. An import
// counts once.
func TestPastAnswersAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	add := func(text string, id job.ID) {
		s := pastanswer.Subject{Text: text}
		e := pastanswer.Entry{ID: s.ID("USER"), ImportType: "USER", Subject: s, Answers: []pastanswer.Given{{Answer: pastanswer.Answer{TargetField: "NAME"}, Import: id}}}
		require.NoError(t, b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			return b.DB.AddPastAnswers(t.Context(), tx, 1, []pastanswer.Entry{e}, 2)
		}))
	}
	once := job.ID(googleuuid.NewString())
	for i := range 3 {
		add(fmt.Sprint("Header ", i), once)
	}
	add("header  2", once)
	add("Header 1", job.ID(googleuuid.NewString()))
	counts := make(map[any]int)
	for _, e := range decode[[]fields](b.do(t, get("/api/past-answers")), http.StatusOK) {
		counts[e["text"]] = len(e["answers"].([]any))
	}
	require.Equal(t, map[any]int{"Header 1": 2, "Header 2": 1}, counts)
}
