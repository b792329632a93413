package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/analyze"
)

// createAskingImport creates an import of a file that waits for decisions about its columns.
func (b *bundle) createAskingImport(t *testing.T, importType, filename, file string) string {
	t.Helper()
	body, contentType := form(t, part{"file", filename, file}, part{"importType", "", importType}, part{"options", "", `{"delimiter":","}`})
	id := decode[fields](b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType}), http.StatusCreated)["identifier"].(string)
	b.runAnalysis(t, id, job.ReanalyzeMachineVersion)
	b.Exec(t, `UPDATE import_jobs SET status = 'COLUMN_MAPPING', announced = true WHERE uuid = $1`, id) // regardless of whether it needs decisions
	return id
}

// runAnalysis runs the analysis like an execution of that version of the state machine.
func (b *bundle) runAnalysis(t *testing.T, id string, machine int) {
	t.Helper()
	log := telemetry.NewLogger(b.logs, slog.LevelDebug)
	step := analyze.New(b.DB, b.objects, catalog.New(), telemetry.NewTransitions(log, telemetry.NewMetrics(&bytes.Buffer{})), sheet.DefaultLimits(), log)
	_, err := step.Run(t.Context(), job.Ref{JobID: job.ID(id), OrganisationID: 1, MachineVersion: machine})
	require.NoError(t, err)
}

// clubList is a table with a title, a header of two rows and totals.
const clubList = "Members of the club,,\n,,\nWho,,Money\nMail address,Name?,Paid\na@x.org,Anna,\"1,5\"\nb@x.org,Ben,2\nTotal,,3.5\n"

func TestPreviewShowsDetectedFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createAskingImport(t, "USER", "users.csv", clubList)
	p := decode[fields](b.do(t, get("/api/imports/"+id+"/preview")), http.StatusOK)
	rows := p["rows"].([]any)
	require.Len(t, rows, 6)
	require.Equal(t, []string{"1 ABOVE", "3 HEADER", "4 DATA", "5 DATA", "6 DATA", "7 DATA"}, partsOfRows(rows))
	require.Equal(t, partsOfRows(rows), partsOfRows(p["lastRows"].([]any)))
	require.Equal(t, fields{"text": "1,5", "kind": "TEXT"}, rows[3].(fields)["cells"].([]any)[2])
	require.Equal(t, false, p["moreRows"])
	require.Equal(t, []any{}, p["sheets"])
	require.Equal(t, "DETECTED", p["encodingEvidence"])
	require.InDelta(t, 3, p["detected"].(fields)["headerRow"], 0)
	require.Len(t, p["columns"], 3)
	require.Contains(t, b.job(t, 1, id).WarningCodes, "FOOTER_LIKELY: from row 7 on, rows look like totals or notes; skipFooterRows 1 skips them")

	page := decode[fields](b.do(t, get("/api/imports/"+id+"/preview?offset=2&limit=2")), http.StatusOK)
	require.Equal(t, []string{"4 DATA", "5 DATA"}, partsOfRows(page["rows"].([]any)))
	require.Equal(t, true, page["moreRows"])

	for _, query := range []string{"limit=0", "limit=201", "offset=-1", "offset=10001", "sheet=x", "sheets=1", "sheet=1"} {
		b.do(t, get("/api/imports/"+id+"/preview?"+query)).requireProblem(400, problem.ParameterInvalid)
	}
	b.do(t, get("/api/imports/"+decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)+"/preview")).requireProblem(409, problem.StateConflict)
	b.objects.forget()
	b.do(t, get("/api/imports/"+id+"/preview")).requireProblem(410, problem.Gone)
	b.sendJSON(t, "PATCH", id, "source", fields{"headerRow": 4}).requireProblem(410, problem.Gone)
}

// partsOfRows returns the numbers of rows, and the part of the file to which each belongs.
func partsOfRows(rows []any) (out []string) {
	for _, r := range rows {
		out = append(out, fmt.Sprint(r.(fields)["number"], " ", r.(fields)["part"]))
	}
	return out
}

// forget deletes all objects.
func (o *fakeObjects) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.stored)
}

// The preview shows only a part of a large file, and of a long text.
func TestPreviewIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createAskingImport(t, "USER", "users.csv", "Mail address,Name?\n"+strings.Repeat("a@x.org,"+strings.Repeat("ö", 300)+"\n", 300)+strings.Repeat("a@x.org,Anna\n", 39_700))
	answer := b.do(t, get("/api/imports/"+id+"/preview?limit=200"))
	p := decode[fields](answer, http.StatusOK)
	require.Len(t, p["rows"], 200)
	require.Equal(t, true, p["moreRows"])
	cell := p["rows"].([]any)[1].(fields)["cells"].([]any)[1].(fields)
	require.Equal(t, fields{"text": strings.Repeat("ö", 200), "kind": "TEXT", "cut": true}, cell)
	last := p["lastRows"].([]any)
	require.Equal(t, "40001 DATA", partsOfRows(last)[len(last)-1], "the last rows match the analysis")
}

// workbook returns a workbook with a cover, a sheet of members, a hidden copy of that, and an empty
// sheet.
func workbook(t *testing.T) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	require.NoError(t, f.SetSheetName("Sheet1", "Cover"))
	require.NoError(t, f.SetSheetRow("Cover", "B2", &[]any{"Valley Swimmers", "2026"}))
	for _, name := range []string{"Members", "Archive", "Empty"} {
		_, err := f.NewSheet(name)
		require.NoError(t, err)
		if name == "Empty" {
			continue
		}
		require.NoError(t, f.SetSheetRow(name, "A3", &[]any{"Mail address", "Name?", "Since"}))
		for i := range 20 {
			require.NoError(t, f.SetSheetRow(name, fmt.Sprint("A", 4+i), &[]any{fmt.Sprintf("a%d@x.org", i), "Anna", 2000 + i}))
		}
	}
	require.NoError(t, f.SetSheetVisible("Archive", false))
	var out bytes.Buffer
	require.NoError(t, f.Write(&out))
	return out.String()
}

func TestPreviewShowsSheets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createAskingImport(t, "USER", "users.xlsx", workbook(t))
	p := decode[fields](b.do(t, get("/api/imports/"+id+"/preview")), http.StatusOK)
	var sheets []string
	for _, s := range p["sheets"].([]any) {
		s := s.(fields)
		sheets = append(sheets, fmt.Sprint(s["index"], " ", s["name"], " ", s["rows"], " × ", s["columns"], " hidden ", s["hidden"], " data ", s["looksLikeData"], " shown ", s["shown"]))
	}
	require.Equal(t, []string{
		"0 Cover 2 × 3 hidden false data false shown false", "1 Members 23 × 3 hidden false data true shown true",
		"2 Archive 23 × 3 hidden true data false shown false", "3 Empty 0 × 0 hidden false data false shown false",
	}, sheets)
	other := decode[fields](b.do(t, get("/api/imports/"+id+"/preview?sheet=1&limit=2")), http.StatusOK)
	require.Equal(t, []string{"3 HEADER", "4 DATA"}, partsOfRows(other["rows"].([]any)))
	require.Equal(t, "23 DATA", partsOfRows(other["lastRows"].([]any))[5])
	require.Equal(t, []any{}, decode[fields](b.do(t, get("/api/imports/"+id+"/preview?sheet=3")), http.StatusOK)["rows"])
	b.do(t, get("/api/imports/"+id+"/preview?sheet=4")).requireProblem(422, problem.SheetNotFound)

	doc := decode[fields](b.sendJSON(t, "PATCH", id, "source", fields{"sheetIndex": 1}), http.StatusAccepted)
	require.Equal(t, "UPLOADED", doc["status"])
	b.runAnalysis(t, id, job.ReanalyzeMachineVersion)
	doc = decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
	require.Equal(t, "COLUMN_MAPPING", doc["status"])
	require.Equal(t, "Members", doc["detected"].(fields)["sheetName"])
}

// Reading options with which the file cannot be read are rejected immediately and change nothing; a
// repeated request changes nothing either.
func TestReanalyzeWithOtherOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createAskingImport(t, "USER", "users.csv", clubList)
	for name, c := range map[string]struct {
		change any
		status int
		code   problem.Code
	}{
		"header row beyond the file":      {fields{"headerRow": 5000}, 400, problem.OptionInvalid},
		"four header rows":                {fields{"headerRows": 4}, 400, problem.OptionInvalid},
		"unknown option":                  {fields{"headerLine": 1}, 400, problem.OptionInvalid},
		"option of the import type":       {fields{"pointsCalculator": "none"}, 400, problem.OptionInvalid},
		"unknown encoding":                {fields{"encoding": "klingon"}, 400, problem.OptionInvalid},
		"column without a reading option": {fields{"columns": []fields{{"column": "Paid"}}}, 400, problem.OptionInvalid},
		"encoding of another text":        {fields{"encoding": "utf-32be"}, 422, problem.EncodingInvalid},
		"list instead of an object":       {[]string{}, 400, problem.BadJSON},
	} {
		t.Run(name, func(t *testing.T) { b.sendJSON(t, "PATCH", id, "source", c.change).requireProblem(c.status, c.code) })
	}
	require.Equal(t, job.ColumnMapping, b.job(t, 1, id).Status)
	require.Empty(t, b.workflow.completions)

	change := fields{"headerRow": 4, "headerRows": 2, "skipFooterRows": 1, "columns": []fields{{"column": "Money Paid", "decimalMark": ","}}}
	doc := decode[fields](b.sendJSON(t, "PATCH", id, "source", change), http.StatusAccepted)
	require.Equal(t, []any{"UPLOADED", "ANALYSING", nil}, []any{doc["status"], doc["phase"], doc["waitingFor"]})
	require.Equal(t, []taskCompletion{{job.ID(id), job.PhaseColumns, "ANALYZE"}}, b.workflow.completions)
	decode[fields](b.sendJSON(t, "PATCH", id, "source", change), http.StatusAccepted)
	b.sendJSON(t, "PATCH", id, "source", fields{"headerRow": 3}).requireProblem(409, problem.StateConflict)
	b.sendJSON(t, "POST", id, "column-mappings/confirm", nil).requireProblem(409, problem.StateConflict)
	require.Equal(t, 1, b.job(t, 1, id).Reanalyses)

	b.runAnalysis(t, id, job.ReanalyzeMachineVersion)
	p := decode[fields](b.do(t, get("/api/imports/"+id+"/preview")), http.StatusOK)
	require.Equal(t, []string{"1 ABOVE", "3 HEADER", "4 HEADER", "5 DATA", "6 DATA", "7 FOOTER"}, partsOfRows(p["rows"].([]any)))
	paid := p["columns"].([]any)[2].(fields)
	require.Equal(t, "Money Paid", paid["sourceHeader"])
	require.Equal(t, fields{"value": ",", "evidence": "STATED", "decidingCells": 1.0, "ambiguousCells": 0.0}, paid["decimalMark"])
	decode[fields](b.sendJSON(t, "PATCH", id, "source", change), http.StatusAccepted)
	require.Equal(t, 1, b.job(t, 1, id).Reanalyses, "unchanged options cause no reanalysis")

	decode[fields](b.sendJSON(t, "PATCH", id, "source", fields{"skipFooterRows": nil, "columns": nil}), http.StatusAccepted)
	require.JSONEq(t, `{"delimiter":",","headerRow":4,"headerRows":2}`, string(b.job(t, 1, id).Options))
}

func TestReanalyzeConflicts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := b.createAskingImport(t, "USER", "users.csv", clubList)
	b.Exec(t, `UPDATE import_jobs SET machine = 0`)
	b.sendJSON(t, "PATCH", old, "source", fields{"headerRow": 4}).requireProblem(409, problem.ExecutionTooOld)
	b.Exec(t, `UPDATE import_jobs SET machine = 2, rereads = 200`)
	b.sendJSON(t, "PATCH", old, "source", fields{"headerRow": 4}).requireProblem(409, problem.StateConflict)
	b.Exec(t, `UPDATE import_jobs SET rereads = 0, status = 'CELL_MAPPING', announced = true, split_complete = true`)
	p := b.sendJSON(t, "PATCH", old, "source", fields{"headerRow": 4}).requireProblem(409, problem.StateConflict)
	require.Contains(t, p["detail"], "already written")
	b.setStatus(t, old, job.Processing)
	b.sendJSON(t, "PATCH", old, "source", fields{"headerRow": 4}).requireProblem(409, problem.StateConflict)
	awaited := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.sendJSON(t, "PATCH", awaited, "source", fields{"headerRow": 4}).requireProblem(409, problem.UploadMissing)
}

// A change, another change, a confirmation and a cancellation run concurrently: each is applied to
// the result of the previous one, and the wait continues with the resulting state of the job.
func TestReanalyzeRacesOtherDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 6 {
		id := b.createAskingImport(t, "USER", "users.csv", "Email,Name,Note\na@x.org,Anna,x\n")
		b.workflow.completions = nil
		statuses := make([]int, 4)
		var group sync.WaitGroup
		for i, r := range []request{
			{method: "PATCH", path: "/api/imports/" + id + "/source", body: `{"headerRow":1}`},
			{method: "PATCH", path: "/api/imports/" + id + "/source", body: `{"skipFooterRows":1}`},
			{method: "POST", path: "/api/imports/" + id + "/column-mappings/confirm"},
			{method: "DELETE", path: "/api/imports/" + id},
		} {
			group.Go(func() {
				r.contentType = "application/json"
				statuses[i] = b.send(t, r).Code
			})
		}
		group.Wait()
		require.Equal(t, http.StatusNoContent, statuses[3], "an import can be cancelled at any time")
		won := 0
		for _, status := range statuses[:3] {
			require.Contains(t, []int{http.StatusAccepted, http.StatusConflict}, status)
			if status == http.StatusAccepted {
				won++
			}
		}
		require.LessOrEqual(t, won, 1)
		j := b.job(t, 1, id)
		require.Equal(t, job.Cancelled, j.Status)
		for _, completion := range b.workflow.completions {
			require.Contains(t, []string{"ANALYZE", "CELL_MAPPING"}, completion.next)
		}
	}
}

// Options for the rows of one sheet do not apply to another sheet.
func TestSheetChangeResetsRowOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createAskingImport(t, "USER", "users.xlsx", workbook(t))
	options := func() string {
		b.runAnalysis(t, id, job.ReanalyzeMachineVersion)
		return string(b.job(t, 1, id).Options)
	}
	decode[fields](b.sendJSON(t, "PATCH", id, "source", fields{"sheetName": "Members", "headerRow": 3, "skipFooterRows": 2}), http.StatusAccepted)
	require.JSONEq(t, `{"delimiter":",","sheetName":"Members","headerRow":3,"skipFooterRows":2}`, options())
	decode[fields](b.sendJSON(t, "PATCH", id, "source", fields{"sheetIndex": 2, "headerRow": 4}), http.StatusAccepted)
	require.JSONEq(t, `{"delimiter":",","sheetIndex":2,"headerRow":4}`, options())
	b.sendJSON(t, "PATCH", id, "source", fields{"sheetIndex": 3}).requireProblem(422, problem.NoDataSheet)
	b.sendJSON(t, "PATCH", id, "source", fields{"sheetName": "Nobody"}).requireProblem(422, problem.SheetNotFound)
	text, err := json.Marshal(decode[fields](b.do(t, get("/api/imports/"+id+"/preview")), http.StatusOK)["options"])
	require.NoError(t, err)
	require.JSONEq(t, `{"delimiter":",","sheetIndex":2,"headerRow":4}`, string(text))
}
