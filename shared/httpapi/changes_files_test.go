package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/problem"
)

// createPricedImport creates an import of orders in three chunks of a hundred orders each, where the
// declared value of order n rises by n percent. The last chunk also empties and fills values.
func (b *bundle) createPricedImport(t *testing.T) string {
	t.Helper()
	id := decode[fields](b.announceUsers(t, nil, fields{"importType": "ORDER"}), http.StatusCreated)["identifier"].(string)
	j := b.job(t, 1, id)
	b.inTx(t, func(tx pgx.Tx) error {
		row := int64(1)
		for chunk := range 3 {
			var changes []changeset.Change
			for n := range 100 {
				row++
				changes = append(changes, changeset.Change{
					Row: row, Table: "orders", ID: fmt.Sprint(row), Op: changeset.Updated, Columns: []string{"declared_value", "receiver_name"},
					Before: []*string{new("200.00"), new("1")}, After: []*string{new(strconv.Itoa(200 + 2*n)), new("=9")},
				})
			}
			if chunk == 2 {
				changes[0].After[0], changes[1].Before[0] = nil, nil
				changes = append(changes, changeset.Change{Row: 400, Table: "orders", ID: "400", Op: changeset.Created, Hash: 1},
					changeset.Change{Table: "persons", ID: "9", Op: changeset.Deleted, Columns: []string{"id", "first_name"}, Before: []*string{new("9"), new("Ann")}})
			}
			if err := b.DB.AddChanges(t.Context(), tx, j, chunk, changes); err != nil {
				return err
			}
		}
		return nil
	})
	return "/api/imports/" + id + "/changes"
}

func TestChangesSummary(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.createPricedImport(t) + "/summary"
	summary := decode[fields](b.do(t, get(path+"?examples=2")), http.StatusOK)
	require.Equal(t, []any{
		fields{"table": "orders", "created": 1.0, "updated": 300.0, "deleted": 0.0},
		fields{"table": "persons", "created": 0.0, "updated": 0.0, "deleted": 1.0},
	}, summary["tables"])
	steps := func(counts ...float64) (list []any) {
		for i, percent := range []float64{10, 50, 100} {
			list = append(list, fields{"moreThanPercent": percent, "count": counts[i]})
		}
		return list
	}
	require.Equal(t, []any{
		fields{
			"table": "orders", "field": "DECLARED_VALUE", "changed": 300.0, "filled": 1.0, "emptied": 1.0, "rises": steps(89*3, 49*3, 0), "falls": steps(0, 0, 0),
			"examples": []any{
				fields{"rowNumber": 101.0, "id": "101", "before": "200.00", "after": "398"}, fields{"rowNumber": 100.0, "id": "100", "before": "200.00", "after": "396"},
			},
		},
		fields{
			"table": "orders", "field": "RECEIVER_NAME", "changed": 300.0, "filled": 0.0, "emptied": 0.0, "rises": []any{}, "falls": []any{},
			"examples": []any{
				fields{"rowNumber": 2.0, "id": "2", "before": "1", "after": "=9"}, fields{"rowNumber": 3.0, "id": "3", "before": "1", "after": "=9"},
			},
		},
	}, summary["fields"])
	for _, wrong := range []string{"?examples=11", "?examples=-1", "?limit=1"} {
		b.do(t, get(path+wrong)).requireProblem(400, problem.ParameterInvalid)
	}
	none := decode[fields](b.do(t, get(path+"?examples=0")), http.StatusOK)
	require.Empty(t, none["fields"].([]any)[0].(fields)["examples"])
}

func TestChangesNDJSONDownload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.createPricedImport(t)
	file := b.do(t, get(path+".ndjson"))
	require.Equal(t, "application/x-ndjson", file.Header().Get("Content-Type"))
	var lines []any
	for line := range strings.Lines(file.Body.String()) {
		var change fields
		require.NoError(t, json.Unmarshal([]byte(line), &change))
		lines = append(lines, change)
	}
	var listed []any
	for cursor := ""; ; {
		part := decode[fields](b.do(t, get(path+"?limit=200"+cursor)), http.StatusOK)
		listed = append(listed, part["changes"].([]any)...)
		if part["complete"].(bool) {
			break
		}
		cursor = "&cursor=" + part["cursor"].(string)
	}
	require.Len(t, lines, 302)
	require.Equal(t, listed, lines)
}

func TestChangesWorkbookDownload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.createPricedImport(t)
	file := b.do(t, get(path+".xlsx"))
	require.Equal(t, http.StatusOK, file.Code)
	book, err := excelize.OpenReader(bytes.NewReader(file.Body.Bytes()))
	require.NoError(t, err)
	defer func() { require.NoError(t, book.Close()) }()
	require.Equal(t, []string{"orders", "persons"}, book.GetSheetList())
	rows, err := book.GetRows("orders")
	require.NoError(t, err)
	require.Len(t, rows, 302)
	require.Equal(t, []string{"Row", "Change", "Id", "DECLARED_VALUE before", "DECLARED_VALUE after", "RECEIVER_NAME before", "RECEIVER_NAME after"}, rows[0])
	require.Equal(t, []string{"2", "UPDATED", "2", "200.00", "200", "1", "'=9"}, rows[1], "a text that starts like a formula is escaped")
	require.Equal(t, []string{"400", "CREATED", "400"}, rows[301])
	colour := func(cell string) string {
		style, err := book.GetCellStyle("orders", cell)
		require.NoError(t, err)
		s, err := book.GetStyle(style)
		require.NoError(t, err)
		return s.Font.Color
	}
	require.Equal(t, []string{"9C0006", "006100", "", ""}, []string{colour("D2"), colour("E2"), colour("A2"), colour("D302")}, "colours of before, after, no field and unchanged")
	rows, err = book.GetRows("persons")
	require.NoError(t, err)
	require.Equal(t, [][]string{{"Row", "Change", "Id", "FIRST_NAME before", "FIRST_NAME after", "ID before", "ID after"}, {"", "DELETED", "9", "Ann", "", "9"}}, rows)
}

func TestChangesWorkbookInAnotherLanguage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.createPricedImport(t)
	file := b.do(t, get(path+".xlsx?lang=de"))
	require.Equal(t, http.StatusOK, file.Code)
	book, err := excelize.OpenReader(bytes.NewReader(file.Body.Bytes()))
	require.NoError(t, err)
	defer func() { require.NoError(t, book.Close()) }()
	rows, err := book.GetRows("orders")
	require.NoError(t, err)
	require.Equal(t, []string{"Zeile", "Änderung", "ID", "Warenwert vorher", "Warenwert nachher", "Empfänger vorher", "Empfänger nachher"}, rows[0])
	require.Equal(t, []string{"2", "Aktualisiert", "2", "200.00", "200", "1", "'=9"}, rows[1], "values are not translated")
	rows, err = book.GetRows("persons")
	require.NoError(t, err)
	require.Equal(t, "Gelöscht", rows[1][1])
	b.do(t, get(path+".xlsx?lang=pl")).requireProblem(400, problem.ParameterInvalid)
	b.do(t, get(path+".ndjson?lang=de")).requireProblem(400, problem.ParameterInvalid)
}

// A file that is too large for a response is stored in the bucket; a file above the limit is
// rejected before it is written.
func TestChangesDownloadsAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.createPricedImport(t)
	b.Exec(t, `UPDATE import_changes SET tally = '{"orders": {"Updated": 100001}}' WHERE chunk_index = 0`)
	b.do(t, get(path+".xlsx")).requireProblem(413, problem.ExportTooLarge)
	require.Equal(t, http.StatusOK, b.do(t, get(path+".ndjson")).Code)
	b.Exec(t, `UPDATE import_changes SET tally = '{"orders": {"Updated": 1000001}}' WHERE chunk_index = 0`)
	b.do(t, get(path+".ndjson")).requireProblem(413, problem.ExportTooLarge)

	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	j := b.job(t, 1, id)
	b.inTx(t, func(tx pgx.Tx) error {
		long := strings.Repeat("x", 4<<20)
		return b.DB.AddChanges(t.Context(), tx, j, 0, []changeset.Change{
			{Row: 2, Table: "users", ID: "a", Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{&long}, After: []*string{nil}},
			{Row: 3, Table: "users", ID: "b", Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{nil}, After: []*string{&long}},
		})
	})
	away := b.do(t, get("/api/imports/"+id+"/changes.ndjson"))
	require.Equal(t, http.StatusFound, away.Code)
	require.Contains(t, away.Header().Get("Location"), id+"-changes.ndjson")
	require.Equal(t, http.StatusOK, b.do(t, get("/api/imports/"+id+"/changes.xlsx")).Code, "values are truncated to the size of a cell")
}
