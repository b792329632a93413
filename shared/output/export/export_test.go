package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/problem"
)

var fields = []*entity.Field{
	{Column: "id", Kind: entity.Integer},
	{Column: "name", Kind: entity.Text},
	{Column: "amount", Kind: entity.Decimal},
	{Column: "tags", Kind: entity.TextList},
	{Column: "at", Kind: entity.Timestamp},
	{Column: "ok", Kind: entity.Boolean},
}

// rows are texts, "-" for an absent value.
var rows = [][]string{
	{"-5", "=1+1", "-0.50", `["a","b"]`, "2026-01-02T03:04:05.500000Z", "true"},
	{"12345678901234567", `say "so"`, "123456789012345.25", `["p|q"]`, "2026-01-02T03:04:05.000000Z", "false"},
	{"-", "-", "-", `[]`, "-", "-"},
	{"7", "''@x", "1", `["=x","y"]`, "2026-01-02T03:04:00.000000Z", "true"},
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	w, err := export.NewWriter(export.CSV, &file, fields)
	require.NoError(t, err)
	writeAll(t, w)
	require.Equal(t, strings.Join([]string{
		`id,name,amount,tags,at,ok`,
		`-5,'=1+1,-0.50,"a|b",2026-01-02T03:04:05.5Z,true`,
		`12345678901234567,"say ""so""",123456789012345.25,"[""p|q""]",2026-01-02T03:04:05Z,false`,
		`,,,,,`,
		`7,'''@x,1,"'=x|y",2026-01-02T03:04:00Z,true`,
		``,
	}, "\r\n"), file.String())
}

func writeAll(t *testing.T, w export.Writer) {
	t.Helper()
	for _, row := range rows {
		values := make([][]byte, len(row))
		for i, v := range row {
			if v != "-" {
				values[i] = []byte(v)
			}
		}
		require.NoError(t, w.Row(values))
	}
	require.NoError(t, w.Close())
}

func TestCSVEmptySingleCellIsQuoted(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	w, err := export.NewWriter(export.CSV, &file, fields[1:2])
	require.NoError(t, err)
	require.NoError(t, w.Row([][]byte{nil}))
	require.NoError(t, w.Close())
	require.Equal(t, "name\r\n\"\"\r\n", file.String())
}

func TestNDJSON(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	w, err := export.NewWriter(export.NDJSON, &file, fields)
	require.NoError(t, err)
	writeAll(t, w)
	require.Equal(t, `{"id":-5,"name":"=1+1","amount":-0.50,"tags":["a","b"],"at":"2026-01-02T03:04:05.5Z","ok":true}
{"id":12345678901234567,"name":"say \"so\"","amount":123456789012345.25,"tags":["p|q"],"at":"2026-01-02T03:04:05Z","ok":false}
{"id":null,"name":null,"amount":null,"tags":[],"at":null,"ok":null}
{"id":7,"name":"''@x","amount":1,"tags":["=x","y"],"at":"2026-01-02T03:04:00Z","ok":true}
`, file.String())
}

// An entry that contains a list separator survives export and import.
func TestListEntryWithSeparatorRoundTrips(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{"Pune, India", "news; local"} {
		var file bytes.Buffer
		w, err := export.NewWriter(export.CSV, &file, fields[3:4])
		require.NoError(t, err)
		require.NoError(t, w.Row([][]byte{[]byte(`["` + entry + `"]`)}))
		require.NoError(t, w.Close())
		require.Equal(t, "tags\r\n\"[\"\""+entry+"\"\"]\"\r\n", file.String())
	}
}

// TestXLSX checks the sheet's XML: numbers remain numbers unless a workbook would round
// them, and text that could be a formula is neither.
func TestXLSX(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	w, err := export.NewWriter(export.XLSX, &file, fields)
	require.NoError(t, err)
	writeAll(t, w)
	archive, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	sheet, err := archive.Open("xl/worksheets/sheet1.xml")
	require.NoError(t, err)
	xml, err := io.ReadAll(sheet)
	require.NoError(t, err)
	for _, want := range []string{
		`<c r="A2"><v>-5</v></c>`, `<t>'=1+1</t>`, `<c r="C2"><v>-0.5</v></c>`, `<t>a|b</t>`,
		`<t>12345678901234567</t>`, `<t>123456789012345.25</t>`, `<c r="F2" t="b"><v>1</v></c>`,
	} {
		require.Contains(t, string(xml), want)
	}
	require.NotContains(t, string(xml), "<f>")
}

func TestXLSXRejectsTooLongText(t *testing.T) {
	t.Parallel()
	for text, fits := range map[string]bool{
		strings.Repeat("x", 32_767): true, strings.Repeat("x", 32_768): false,
		strings.Repeat("é", 32_767): true, strings.Repeat("😀", 16_384): false,
		"=" + strings.Repeat("x", 32_766): false, // including its apostrophe
	} {
		var file bytes.Buffer
		w, err := export.NewWriter(export.XLSX, &file, fields[1:2])
		require.NoError(t, err)
		err = w.Row([][]byte{[]byte(text)})
		require.Equal(t, fits, err == nil)
		if !fits {
			require.Equal(t, problem.ExportTooLarge, problem.CodeOf(err))
		}
		require.NoError(t, w.Discard())
	}
}

var declaration = entity.Declaration{
	Name: "THING", Resource: "things", Title: "Things",
	Context: &entity.Context{Param: "boxId", Title: "box", Table: "boxes"},
	Export:  &entity.Export{Table: "things", Key: "id", Context: "box_id"},
	Fields: []entity.Field{
		{Name: "ID", Column: "id", Kind: entity.UUID}, {Name: "NAME", Column: "name", Kind: entity.Text},
		{Name: "PRICE", Column: "price", Kind: entity.Decimal}, {Name: "MADE", Column: "made", Kind: entity.Date},
	},
}

func TestSelectionQuery(t *testing.T) {
	t.Parallel()
	s, err := export.Select(&declaration, []string{"made", "name"}, json.RawMessage(
		`{"context_id": 7, "name": ["a", "b"], "price": {"from": 1.5, "before": "20"}}`))
	require.NoError(t, err)
	sql, args := declaration.SelectQuery(s)
	require.Equal(t, `SELECT to_char(e.made, 'YYYY-MM-DD'), (e.name)::text FROM things AS e`+
		` WHERE e.box_id = $1 AND e.name = ANY ($2::text[]::text[]) AND e.price >= $3::text::numeric AND e.price < $4::text::numeric ORDER BY e.id`, sql)
	require.Equal(t, []any{int64(7), []string{"a", "b"}, "1.5", "20"}, args)
}

func TestInvalidSelections(t *testing.T) {
	t.Parallel()
	for filters, field := range map[string]string{
		`[]`:                              "filters",
		`{"nothing": 1}`:                  "filters.nothing",
		`{"id": "x"}`:                     "filters.id",
		`{"name": null}`:                  "filters.name",
		`{"name": {"from": "a"}}`:         "filters.name",
		`{"price": {"from": "a"}}`:        "filters.price",
		`{"price": {"from": 1, "to": 2}}`: "filters.price",
		`{"made": "2026-02-30"}`:          "filters.made",
		`{"made": [["2026-01-01"]]}`:      "filters.made",
		`{"name": "a\u0000b"}`:            "filters.name",
		`{"context_id": "7"}`:             "filters.context_id",
	} {
		_, err := export.Select(&declaration, nil, json.RawMessage(filters))
		require.Equal(t, problem.ParameterInvalid, problem.CodeOf(err), filters)
		require.Equal(t, field, problem.From(err).Fields[0].Field, filters)
	}
	_, err := export.Select(&entity.Declaration{Title: "Secrets"}, nil, nil)
	require.Equal(t, problem.ImportTypeUnknown, problem.CodeOf(err))
}
