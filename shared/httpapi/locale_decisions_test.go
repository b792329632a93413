package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// createAmbiguousImport creates an import that waits for decisions about the format of three columns:
// two date columns, of which one is contradictory, and an unmapped one.
func (b *bundle) createAmbiguousImport(t *testing.T) (id string, columns map[string]int64) {
	t.Helper()
	id = decode[fields](b.announceUsers(t, nil, fields{"importType": "MEMBERSHIP", "contextId": 11}), http.StatusCreated)["identifier"].(string)
	open := sheet.Locale{DateOrder: sheet.Finding{Evidence: sheet.Ambiguous, Ambiguous: 3}, DecimalMark: sheet.Finding{Evidence: sheet.None}}
	contradictory := sheet.Locale{DateOrder: sheet.Finding{Evidence: sheet.Contradictory, DecidedBy: 5, Ambiguous: 2}, DecimalMark: sheet.Finding{Evidence: sheet.None}}
	known := job.MappedColumn{Status: job.AutoMatched, Confidence: 1}
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		require.NoError(t, b.DB.MarkUploaded(t.Context(), tx, j.Key, object.Info{Size: j.SizeBytes}))
		var all []job.MappedColumn
		for i, c := range []struct {
			header, field string
			locale        sheet.Locale
		}{
			{"First name", "FIRST_NAME", sheet.Locale{}}, {"Last name", "LAST_NAME", sheet.Locale{}}, {"Type", "MEMBERSHIP_TYPE_ID", sheet.Locale{}},
			{"Born", "BIRTH_DATE", open}, {"Joined", "JOINED_ON", contradictory}, {"Seen", "", open},
		} {
			column := known
			column.ColumnIndex, column.Header, column.TargetField, column.Locale = i, c.header, c.field, c.locale
			if c.field == "" {
				column.Status, column.Confidence = job.Unresolved, 0
			}
			all = append(all, column)
		}
		return b.DB.SaveColumnMappings(t.Context(), tx, j, all)
	})
	b.setStatus(t, id, job.ColumnMapping)
	columns = make(map[string]int64)
	for _, c := range decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK) {
		columns[c["sourceHeader"].(string)] = int64(c["id"].(float64))
	}
	return id, columns
}

// problemFields returns the fields and codes of a problem.
func problemFields(p fields) (found [][2]any) {
	for _, e := range p["errors"].([]any) {
		found = append(found, [2]any{e.(fields)["field"], e.(fields)["code"]})
	}
	return found
}

// dateOrders returns the date orders of the columns: value and evidence.
func (b *bundle) dateOrders(t *testing.T, id string) map[any][2]any {
	t.Helper()
	found := make(map[any][2]any)
	for _, c := range decode[[]fields](b.sendJSON(t, "GET", id, "column-mappings", nil), http.StatusOK) {
		if order, looked := c["dateOrder"].(fields); looked {
			found[c["sourceHeader"]] = [2]any{order["value"], order["evidence"]}
		}
	}
	return found
}

func TestStatedDateOrdersCompleteColumns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createAmbiguousImport(t)
	require.Equal(t, map[any][2]any{"Born": {nil, "AMBIGUOUS"}, "Joined": {nil, "CONTRADICTORY"}, "Seen": {nil, "AMBIGUOUS"}}, b.dateOrders(t, id))
	both := [][2]any{{"BIRTH_DATE", "DATE_ORDER_REQUIRED"}, {"JOINED_ON", "DATE_ORDER_REQUIRED"}}
	require.Equal(t, both, problemFields(b.sendJSON(t, "POST", id, "column-mappings/confirm", nil).requireProblem(406, problem.MappingIncomplete)))

	p := b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Born"], "dateOrder": "dmy"}}).requireProblem(406, problem.MappingIncomplete)
	require.Equal(t, both[1:], problemFields(p), "the stated order is kept")
	docs := decode[[]fields](b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Joined"], "confirm": true, "dateOrder": "mdy"}}), http.StatusAccepted)
	require.Equal(t, fields{"value": "mdy", "evidence": "STATED", "decidingCells": 5.0, "ambiguousCells": 2.0}, docs[4]["dateOrder"])
	require.Equal(t, []any{false, true}, []any{docs[3]["confirmed"], docs[4]["confirmed"]}, "stating an order confirms nothing else")
	require.Nil(t, docs[0]["dateOrder"], "the column is not analysed")

	require.Equal(t, "CELL_MAPPING", decode[fields](b.sendJSON(t, "POST", id, "column-mappings/confirm", nil), http.StatusAccepted)["status"])
	require.Equal(t, map[any][2]any{"Born": {"dmy", "STATED"}, "Joined": {"mdy", "STATED"}, "Seen": {nil, "AMBIGUOUS"}}, b.dateOrders(t, id))
}

func TestLocaleForAllColumnsIsDefault(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createAmbiguousImport(t)
	b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Born"], "dateOrder": "ymd"}, {"dateOrder": "dmy", "decimalMark": ","}})
	orders := b.dateOrders(t, id)
	require.Equal(t, [2]any{"ymd", "STATED"}, orders["Born"])
	for _, header := range []string{"Joined", "Seen", "First name"} {
		require.Equal(t, [2]any{"dmy", "STATED"}, orders[header], header)
	}
}

func TestIgnoredColumnNeedsNoDateOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createAmbiguousImport(t)
	p := b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Born"], "ignore": true}}).requireProblem(406, problem.MappingIncomplete)
	require.Equal(t, [][2]any{{"JOINED_ON", "DATE_ORDER_REQUIRED"}}, problemFields(p))
	p = b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Joined"], "ignore": true}, {"id": columns["Seen"], "targetField": "JOINED_ON"}}).requireProblem(406, problem.MappingIncomplete)
	require.Equal(t, [][2]any{{"JOINED_ON", "DATE_ORDER_REQUIRED"}}, problemFields(p), "another column still needs an order")
}

// An import can be started with ambiguous columns. Rows with unreadable values become errors.
func TestStartWithAmbiguousLocales(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createAmbiguousImport(t)
	require.Equal(t, "PROCESSING", decode[fields](b.sendJSON(t, "POST", id, "start", nil), http.StatusAccepted)["status"])
	require.Equal(t, [2]any{nil, "AMBIGUOUS"}, b.dateOrders(t, id)["Born"])
}

func TestInvalidLocaleDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createAmbiguousImport(t)
	before := b.dateOrders(t, id)
	for name, decisions := range map[string][]fields{
		"unknown date order":         {{"id": columns["Born"], "dateOrder": "ydm"}},
		"unknown decimal mark":       {{"id": columns["Born"], "decimalMark": "'"}},
		"all columns: target field":  {{"targetField": "BIRTH_DATE", "dateOrder": "dmy"}},
		"all columns: no decision":   {{"confirm": false}},
		"all columns: two decisions": {{"dateOrder": "dmy"}, {"decimalMark": "."}},
		"one valid, one invalid":     {{"dateOrder": "dmy"}, {"id": columns["Born"]}},
		"all columns: ignore":        {{"ignore": true, "dateOrder": "dmy"}},
		"unknown target field":       {{"id": columns["Born"], "targetField": "SHOE_SIZE", "dateOrder": "dmy"}},
	} {
		b.sendJSON(t, "PUT", id, "column-mappings", decisions).requireProblem(422, problem.MappingInvalid)
		require.Equal(t, before, b.dateOrders(t, id), name)
	}
}

func TestFacadeLocaleOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body, contentType := form(t, part{"file", "roster.csv", roster})
	call := request{method: "PUT", path: "/api/memberships/import?periodId=11&dateOrder=mdy&decimalMark=,", body: body, contentType: contentType}
	doc := decode[fields](b.do(t, call), http.StatusAccepted)
	require.JSONEq(t, `{"dateOrder":"mdy","decimalMark":","}`, string(b.job(t, 1, doc["identifier"].(string)).Options))
	call.path = "/api/memberships/import?periodId=11&dateOrder=first"
	b.do(t, call).requireProblem(400, problem.OptionInvalid)
}
