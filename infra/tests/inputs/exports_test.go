package inputs

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

func exportCases() []promise {
	return []promise{
		{"text that begins with `= + - @ TAB CR` is neutralised, real numbers are left alone", map[string]testCase{
			"CSV": neutralCSV, "XLSX": neutralXLSX, "error workbook": neutralErrors,
		}},
		{"what was exported can be imported again unchanged", map[string]testCase{"csv": exportAndReimport("csv"), "ndjson": exportAndReimport("ndjson"), "xlsx": exportAndReimport("xlsx")}},
	}
}

// riskyTexts are texts that a spreadsheet would interpret as formulas.
var riskyTexts = []string{"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=already", "plain", "'plain", "+27 82 555 0100"}

// importRiskyOrders imports orders with these texts and with real numbers, for a separate
// client of an organisation.
func (w *harness) importRiskyOrders(t *testing.T, id string) {
	t.Helper()
	var file strings.Builder
	for i, text := range riskyTexts {
		line, err := json.Marshal(map[string]any{
			"clientId": json.Number(id), "clientReference": id + "-" + string(rune('a'+i)), "senderName": "S" + text, "senderAddress": text + " ", "senderContact": "0801234567",
			"receiverName": "Bea", "receiverAddress": "2 Hill Street", "receiverCity": text, "receiverPincode": "411001",
			"itemCount": 1, "totalWeight": json.Number("2.5"), "serviceType": "EXPRESS", "codAmount": json.Number("7.25"), "specialInstructions": text,
		})
		require.NoError(t, err)
		file.Write(append(line, '\n'))
	}
	j := w.importToEnd(t, "ORDER", "o.ndjson", []byte(file.String()))
	require.Equal(t, int64(len(riskyTexts)), j.SuccessCount, "%+v", j.Failure)
}

func (w *harness) exportOrders(t *testing.T, format, id string) []byte {
	t.Helper()
	_, file, err := w.Export(t.Context(), rawclient.ExportRequest{
		Resource: "orders", Format: format, Filters: json.RawMessage(`{"client_id":` + id + `}`),
		Fields: []string{"receiver_city", "special_instructions", "total_weight", "cod_amount", "item_count"},
	}, stacktest.PollInterval)
	require.NoError(t, err)
	return file
}

// formulaPrefixes are the characters with which a cell must not begin unless it is a number.
const formulaPrefixes = "=+-@\t\r"

func neutralCSV(t *testing.T, w *harness) {
	w.importRiskyOrders(t, "501")
	file := string(w.exportOrders(t, "csv", "501"))
	require.Contains(t, file, "'=1+1,'=1+1,2.5,7.25,1\r\n")
	require.Contains(t, file, "plain,plain,2.5,7.25,1\r\n")
	for line := range strings.SplitSeq(strings.ReplaceAll(file, "\"", ""), "\n") {
		require.NotContains(t, formulaPrefixes, line[:min(1, len(line))]+"?", "%q", line)
		if line != "" {
			require.NotContains(t, formulaPrefixes, line[:1], "%q", line)
		}
	}
}

func neutralXLSX(t *testing.T, w *harness) {
	w.importRiskyOrders(t, "502")
	requireNeutral(t, w.exportOrders(t, "xlsx", "502"), len(riskyTexts))
}

// requireNeutral checks that a workbook has no formulas and that its texts do not become
// formulas when it is saved as CSV.
func requireNeutral(t *testing.T, file []byte, rows int) {
	t.Helper()
	x, err := excelize.OpenReader(bytes.NewReader(file))
	require.NoError(t, err)
	defer x.Close()
	name := x.GetSheetList()[0]
	all, err := x.GetRows(name)
	require.NoError(t, err)
	require.Len(t, all, rows+1)
	for r, cells := range all {
		for c, text := range cells {
			at, err := excelize.CoordinatesToCellName(c+1, r+1)
			require.NoError(t, err)
			formula, err := x.GetCellFormula(name, at)
			require.NoError(t, err)
			require.Empty(t, formula, at)
			if text != "" {
				require.NotContains(t, formulaPrefixes, text[:1], "%s holds %q", at, text)
			}
		}
	}
}

func neutralErrors(t *testing.T, w *harness) {
	var file strings.Builder
	file.WriteString("email;name;role\n")
	for _, text := range riskyTexts {
		file.WriteString("no address;\"" + text + "\";\"" + text + "\"\n")
	}
	j := w.importToEnd(t, "USER", "e.csv", []byte(file.String()))
	require.Equal(t, int64(len(riskyTexts)), j.ErrorCount)
	a := w.send(t, request{method: http.MethodGet, path: "/api/imports/" + j.Identifier + "/errors.xlsx"})
	require.Equal(t, http.StatusOK, a.status)
	requireNeutral(t, a.body, len(riskyTexts))
}

// exportAndReimport exports users with risky names and imports the unchanged file.
func exportAndReimport(format string) testCase {
	return func(t *testing.T, w *harness) {
		var file strings.Builder
		for i, text := range riskyTexts {
			line, err := json.Marshal(map[string]any{"email": format + string(rune('a'+i)) + "@again.example.org", "name": "x" + text, "role": text})
			require.NoError(t, err)
			file.Write(append(line, '\n'))
		}
		first := w.importToEnd(t, "USER", "a.ndjson", []byte(file.String()))
		require.Equal(t, int64(len(riskyTexts)), first.SuccessCount)
		const same = `SELECT string_agg(id || email || name || role || active || created_at, '|' ORDER BY email) FROM users WHERE email LIKE $1`
		before := queryText(t, w, same, format+"_@again.example.org")
		_, exported, err := w.Export(t.Context(), rawclient.ExportRequest{Resource: "users", Format: format}, stacktest.PollInterval)
		require.NoError(t, err)
		j, err := w.Upload(t.Context(), rawclient.CreateRequest{ImportType: "USER", Filename: "a." + format, SizeBytes: int64(len(exported)), Mode: "upsert", AutoStart: true}, bytes.NewReader(exported))
		require.NoError(t, err)
		ended := w.awaitJob(t, j.Identifier, (*rawclient.Job).Ended)
		require.Equal(t, "COMPLETED", ended.Status, "%+v", ended.Failure)
		require.Zero(t, ended.ErrorCount)
		require.Equal(t, before, queryText(t, w, same, format+"_@again.example.org"))
	}
}
