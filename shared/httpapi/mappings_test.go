package httpapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// sendJSON sends a JSON document to a sub-resource of an import.
func (b *bundle) sendJSON(t *testing.T, method, id, what string, doc any) apiResponse {
	t.Helper()
	body := ""
	if doc != nil {
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		body = string(text)
	}
	return b.do(t, request{method: method, path: "/api/imports/" + id + "/" + what, body: body, contentType: "application/json"})
}

// createColumnMappingImport creates a membership import that waits for decisions about its columns:
// "Surname" is matched, "Vorname?" and "Kind of member" are not, "Shoe size" matches no field.
func (b *bundle) createColumnMappingImport(t *testing.T) (id string, columns map[string]int64) {
	t.Helper()
	doc := fields{"importType": "MEMBERSHIP", "contextId": 11}
	id = decode[fields](b.announceUsers(t, nil, doc), http.StatusCreated)["identifier"].(string)
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		require.NoError(t, b.DB.MarkUploaded(t.Context(), tx, j.Key, object.Info{Size: j.SizeBytes}))
		return b.DB.SaveColumnMappings(t.Context(), tx, j, []job.MappedColumn{
			{ColumnIndex: 0, Header: "Vorname?", Status: job.Unresolved, Samples: []string{"Ada", "Grace"}},
			{ColumnIndex: 1, Header: "Surname", TargetField: "LAST_NAME", Status: job.AutoMatched, Confidence: 1},
			{ColumnIndex: 2, Header: "Kind of member", Status: job.Unresolved},
			{ColumnIndex: 3, Header: "Shoe size", Status: job.Unresolved},
		})
	})
	b.setStatus(t, id, job.ColumnMapping)
	columns = make(map[string]int64)
	for _, c := range decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK) {
		columns[c["sourceHeader"].(string)] = int64(c["id"].(float64))
	}
	require.Len(t, columns, 4)
	return id, columns
}

func TestColumnDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createColumnMappingImport(t)

	// One required field is still missing: the decisions are saved and the field is reported.
	p := b.sendJSON(t, "PUT", id, "column-mappings", []fields{
		{"id": columns["Surname"], "confirm": true}, {"id": columns["Vorname?"], "targetField": "FIRST_NAME"},
	}).requireProblem(406, problem.MappingIncomplete)
	require.Equal(t, "MEMBERSHIP_TYPE_ID", p["errors"].([]any)[0].(fields)["field"])
	b.sendJSON(t, "POST", id, "column-mappings/confirm", nil).requireProblem(406, problem.MappingIncomplete)
	b.sendJSON(t, "POST", id, "start", nil).requireProblem(406, problem.MappingIncomplete)

	docs := decode[[]fields](b.sendJSON(t, "PUT", id, "column-mappings", []fields{
		{"id": columns["Kind of member"], "targetField": "MEMBERSHIP_TYPE_ID"}, {"id": columns["Shoe size"], "ignore": true},
	}), http.StatusAccepted)
	var statuses []any
	for _, d := range docs {
		statuses = append(statuses, d["status"])
	}
	require.Equal(t, []any{"MANUAL_MATCHED", "MANUAL_MATCHED", "MANUAL_MATCHED", "IGNORED"}, statuses)
	free := decode[fields](b.do(t, get("/api/imports/"+id+"?includeMappings=true")), http.StatusOK)["freeFields"].([]any)
	for _, f := range free {
		require.NotContains(t, []any{"FIRST_NAME", "LAST_NAME", "MEMBERSHIP_TYPE_ID"}, f.(fields)["name"])
	}

	doc := decode[fields](b.sendJSON(t, "POST", id, "column-mappings/confirm", nil), http.StatusAccepted)
	require.Equal(t, "CELL_MAPPING", doc["status"])
	require.Nil(t, doc["waitingFor"], "nothing is pending while the values are resolved")
	require.Equal(t, []any{}, doc["cellMappings"])
	b.sendJSON(t, "PUT", id, "cell-mappings", []fields{}).requireProblem(409, problem.StillRunning)
	b.sendJSON(t, "POST", id, "cell-mappings/confirm", nil).requireProblem(409, problem.StillRunning)
	require.Equal(t, []taskCompletion{{job.ID(id), job.PhaseColumns, "CELL_MAPPING"}}, b.workflow.completions)
	b.sendJSON(t, "POST", id, "column-mappings/confirm", nil).requireProblem(409, problem.StateConflict)
}

func TestColumnsCanSwapTheirFields(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createColumnMappingImport(t)
	b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Vorname?"], "targetField": "FIRST_NAME"}})
	partial := b.sendJSON(t, "PUT", id, "column-mappings", []fields{
		{"id": columns["Vorname?"], "targetField": "LAST_NAME"}, {"id": columns["Surname"], "targetField": "FIRST_NAME"},
	})
	partial.requireProblem(406, problem.MappingIncomplete) // the type is missing; the swap is saved
	require.Contains(t, partial.Body.String(), "Your answers were saved.")
	require.Contains(t, partial.Body.String(), "MEMBERSHIP_TYPE_ID")
	docs := decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK)
	require.Equal(t, "LAST_NAME", docs[0]["targetField"])
	require.Equal(t, "FIRST_NAME", docs[1]["targetField"])
}

func TestInvalidColumnDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createColumnMappingImport(t)
	first, surname := columns["Vorname?"], columns["Surname"]
	for name, decisions := range map[string][]fields{
		"column without a decision":         {{"id": first}},
		"column with two decisions":         {{"id": first, "targetField": "FIRST_NAME", "ignore": true}},
		"unknown column":                    {{"id": surname + 1000, "ignore": true}},
		"duplicate column":                  {{"id": first, "ignore": true}, {"id": first, "targetField": "FIRST_NAME"}},
		"unknown field":                     {{"id": first, "targetField": "SHOE_SIZE"}},
		"field given twice":                 {{"id": first, "targetField": "EMAIL"}, {"id": surname, "targetField": "EMAIL"}},
		"field of another column":           {{"id": first, "targetField": "LAST_NAME"}},
		"confirmed column without a target": {{"id": first, "confirm": true}},
		"one valid column, one invalid":     {{"id": surname, "ignore": true}, {"id": first, "targetField": "SHOE_SIZE"}},
	} {
		b.sendJSON(t, "PUT", id, "column-mappings", decisions).requireProblem(422, problem.MappingInvalid)
		require.NotEmpty(t, name)
	}
	for _, doc := range decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK) {
		require.Equal(t, false, doc["confirmed"], "no decision is saved")
	}
	b.sendJSON(t, "PUT", id, "column-mappings", fields{"id": first}).requireProblem(400, problem.BadJSON)
	b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": first, "target": "EMAIL"}}).requireProblem(400, problem.BadJSON)
}

// Decisions are rejected when they are too early, too late, or from another organisation.
func TestDecisionsInOtherStatuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	calls := []struct {
		method, what string
		doc          any
	}{
		{"PUT", "column-mappings", []fields{}}, {"POST", "column-mappings/confirm", nil},
		{"PUT", "cell-mappings", []fields{}}, {"POST", "cell-mappings/confirm", nil}, {"POST", "start", nil},
	}
	early := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	for _, c := range calls {
		b.sendJSON(t, c.method, early, c.what, c.doc).requireProblem(409, problem.UploadMissing)
	}
	late := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	for _, status := range []job.Status{job.Uploaded, job.Processing, job.Completed} {
		if status != job.Uploaded {
			b.setStatus(t, late, status)
		}
		for _, c := range calls {
			b.sendJSON(t, c.method, late, c.what, c.doc).requireProblem(409, problem.StateConflict)
		}
	}
	for _, c := range append(calls, struct {
		method, what string
		doc          any
	}{"GET", "cell-mappings/candidates?targetField=EMAIL", nil}) {
		r := request{method: c.method, path: "/api/imports/" + late + "/" + c.what, body: "[]", claims: map[string]string{"organisation_id": "2"}}
		b.do(t, r).requireProblem(404, problem.NotFound)
	}
	require.Empty(t, b.workflow.completions)
}

// createCellMappingImport creates an import that waits for decisions about three values: two types
// of membership and one country.
func (b *bundle) createCellMappingImport(t *testing.T) (id string, values map[string]int64) {
	t.Helper()
	b.Exec(t, `INSERT INTO membership_types (id, organisation_id, name) VALUES (7, 1, 'Adult'), (8, 1, 'Junior'), (9, 2, 'Foreign') ON CONFLICT DO NOTHING`)
	id, columns := b.createColumnMappingImport(t)
	b.sendJSON(t, "PUT", id, "column-mappings", []fields{
		{"id": columns["Vorname?"], "targetField": "FIRST_NAME"}, {"id": columns["Kind of member"], "targetField": "MEMBERSHIP_TYPE_ID"},
	})
	require.Equal(t, http.StatusAccepted, b.sendJSON(t, "POST", id, "column-mappings/confirm", nil).Code)
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		require.NoError(t, b.DB.AddWaitingEvent(t.Context(), tx, j.Key))
		return b.DB.AddCellMappings(t.Context(), tx, j, []job.MappedCell{
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "adult", Status: job.AutoMatched, EntityID: "7", Rows: 5, FirstRow: 2},
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "kids", Status: job.Unresolved, Rows: 2, FirstRow: 3},
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: "babies", Status: job.Unresolved, Rows: 1, FirstRow: 9},
			{TargetField: "ID_COUNTRY", Value: "Elbonia", Status: job.Unresolved, Rows: 1, FirstRow: 4},
		})
	})
	values = make(map[string]int64)
	for _, c := range decode[[]fields](b.sendJSON(t, "GET", id, "cell-mappings", nil), http.StatusOK) {
		values[c["sourceValue"].(string)] = int64(c["id"].(float64))
	}
	b.workflow.completions = nil
	return id, values
}

func TestValueDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, values := b.createCellMappingImport(t)
	require.Equal(t, []fields{{"id": 7.0, "displayName": "Adult"}, {"id": 8.0, "displayName": "Junior"}},
		decode[[]fields](b.sendJSON(t, "GET", id, "cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID", nil), http.StatusOK))

	p := b.sendJSON(t, "PUT", id, "cell-mappings", []fields{
		{"id": values["adult"], "confirm": true}, {"id": values["kids"], "targetEntityId": 8},
	}).requireProblem(406, problem.MappingIncomplete)
	require.Len(t, p["errors"], 2)
	b.sendJSON(t, "POST", id, "cell-mappings/confirm", nil).requireProblem(406, problem.MappingIncomplete)
	require.Empty(t, b.workflow.completions)

	docs := decode[[]fields](b.sendJSON(t, "PUT", id, "cell-mappings", []fields{
		{"id": values["Elbonia"], "ignore": true}, {"targetField": "MEMBERSHIP_TYPE_ID", "targetEntityId": 7},
	}), http.StatusAccepted)
	entities := make(map[any]any)
	for _, d := range docs {
		entities[d["sourceValue"]] = d["targetEntityId"]
	}
	require.Equal(t, map[any]any{"adult": 7.0, "kids": 8.0, "babies": 7.0, "Elbonia": nil}, entities, "the default applies only to unresolved values")

	doc := decode[fields](b.sendJSON(t, "POST", id, "cell-mappings/confirm", nil), http.StatusAccepted)
	require.Equal(t, "PROCESSING", doc["status"])
	require.Equal(t, []taskCompletion{{job.ID(id), job.PhaseCells, "COMPLETE"}}, b.workflow.completions)
}

func TestInvalidValueDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, values := b.createCellMappingImport(t)
	for name, decisions := range map[string][]fields{
		"value without a decision":         {{"id": values["kids"]}},
		"value with two decisions":         {{"id": values["kids"], "targetEntityId": 8, "ignore": true}},
		"unknown value":                    {{"id": values["kids"] + 1000, "ignore": true}},
		"duplicate value":                  {{"id": values["kids"], "ignore": true}, {"id": values["kids"], "targetEntityId": 8}},
		"unknown entity":                   {{"id": values["kids"], "targetEntityId": 99}},
		"entity of another organisation":   {{"id": values["kids"], "targetEntityId": 9}},
		"confirmed value without a target": {{"id": values["kids"], "confirm": true}},
		"field without value questions":    {{"targetField": "EMAIL", "ignore": true}},
		"both create and ignore":           {{"id": values["kids"], "create": true, "ignore": true}},
		"country that does not exist":      {{"id": values["Elbonia"], "create": true}},
		"countries cannot be created":      {{"targetField": "ID_COUNTRY", "create": true}},
		"both a field and an id":           {{"id": values["kids"], "targetField": "MEMBERSHIP_TYPE_ID", "ignore": true}},
		"one valid value, one invalid":     {{"id": values["Elbonia"], "ignore": true}, {"id": values["kids"], "targetEntityId": 99}},
	} {
		b.sendJSON(t, "PUT", id, "cell-mappings", decisions).requireProblem(422, problem.MappingInvalid)
		require.NotEmpty(t, name)
	}
	for _, doc := range decode[[]fields](b.sendJSON(t, "GET", id, "cell-mappings", nil), http.StatusOK) {
		require.Equal(t, false, doc["confirmed"], "no decision is saved")
	}
	for _, query := range []string{"", "?targetField=EMAIL", "?targetField=SHOE_SIZE"} {
		b.sendJSON(t, "GET", id, "cell-mappings/candidates"+query, nil).requireProblem(400, problem.ParameterInvalid)
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	t.Run("start during column questions", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id, columns := b.createColumnMappingImport(t)
		b.sendJSON(t, "PUT", id, "column-mappings", []fields{
			{"id": columns["Vorname?"], "targetField": "FIRST_NAME"}, {"id": columns["Kind of member"], "targetField": "MEMBERSHIP_TYPE_ID"},
		})
		require.Equal(t, "PROCESSING", decode[fields](b.sendJSON(t, "POST", id, "start", nil), http.StatusAccepted)["status"])
		require.True(t, b.job(t, 1, id).CellsSkipped)
		require.Equal(t, []taskCompletion{{job.ID(id), job.PhaseColumns, "CELL_MAPPING"}}, b.workflow.completions)
	})
	t.Run("start during value questions", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id, _ := b.createCellMappingImport(t)
		require.Equal(t, "PROCESSING", decode[fields](b.sendJSON(t, "POST", id, "start", nil), http.StatusAccepted)["status"])
		require.True(t, b.job(t, 1, id).CellsSkipped)
		require.Equal(t, []taskCompletion{{job.ID(id), job.PhaseCells, "COMPLETE"}}, b.workflow.completions)
		b.sendJSON(t, "POST", id, "start", nil).requireProblem(409, problem.StateConflict)
	})
}

// The status decides; reconcile completes the task later.
func TestConfirmSurvivesWorkflowFailure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	b.workflow.fail = errors.New("out of order")
	require.Equal(t, http.StatusAccepted, b.sendJSON(t, "POST", id, "start", nil).Code)
	require.Equal(t, job.Processing, b.job(t, 1, id).Status)
}

// Confirm, start and cancel run concurrently: each job changes its status once, as requested by the
// call that won.
func TestConcurrentConfirmStartAndCancel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for round := range 10 {
		id, _ := b.createCellMappingImport(t)
		b.sendJSON(t, "PUT", id, "cell-mappings", []fields{
			{"targetField": "MEMBERSHIP_TYPE_ID", "targetEntityId": 7}, {"targetField": "ID_COUNTRY", "ignore": true},
		})
		calls := []request{
			{method: "POST", path: "/api/imports/" + id + "/cell-mappings/confirm"},
			{method: "POST", path: "/api/imports/" + id + "/start"},
			{method: "DELETE", path: "/api/imports/" + id},
			{method: "POST", path: "/v1/imports/" + id + "/cancel"},
		}
		codes := make([]int, len(calls))
		var all sync.WaitGroup
		for i, c := range calls {
			all.Go(func() { codes[i] = b.do(t, c).Code })
		}
		all.Wait()
		why := fmt.Sprint("round ", round, " codes ", codes)
		cancelled := (codes[2] == http.StatusNoContent) != (codes[3] == http.StatusOK)
		require.True(t, cancelled, "one of two cancels wins: "+why)
		require.False(t, codes[0] == http.StatusAccepted && codes[1] == http.StatusAccepted, "one of confirm and start at most: "+why)
		require.Equal(t, job.Cancelled, b.job(t, 1, id).Status, why)
	}
}

// The letters of "Deutschland" are more similar to "Netherlands" than to "Germany".
func TestCountrySuggestionsInOtherLanguages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	for value, want := range map[string]string{
		"Deutschland": "Germany", "Osterreich": "Austria", "Allemange": "Germany", "Estados Unidos de America": "United States",
	} {
		found := decode[[]fields](b.sendJSON(t, "GET", id, "cell-mappings/candidates?targetField=ID_COUNTRY&size=3&value="+url.QueryEscape(value), nil), http.StatusOK)
		require.Equal(t, want, found[0]["displayName"], value)
	}
	found := decode[[]fields](b.sendJSON(t, "GET", id, "cell-mappings/candidates?targetField=ID_COUNTRY&search=deutsch", nil), http.StatusOK)
	require.Len(t, found, 1)
	require.Equal(t, "Germany", found[0]["displayName"])
}
