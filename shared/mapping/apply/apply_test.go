package apply_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/sheet"
)

func parse(t *testing.T, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	require.NoError(t, err)
	return d
}

// matched returns the columns of a file as matched by their names.
func matched() []job.MappedColumn {
	columns := []job.MappedColumn{
		{Header: "Nom", TargetField: "LAST_NAME"}, {Header: "Prénom", TargetField: "FIRST_NAME"}, {Header: ""}, {Header: "Courriel", TargetField: "EMAIL"}, {Header: "Remarques"},
	}
	for i := range columns {
		c := &columns[i]
		c.ColumnIndex, c.ID, c.Status = i, int64(i+1), job.Unresolved
		if c.TargetField != "" {
			c.Status, c.Confidence = job.AutoMatched, 0.9
		}
	}
	return columns
}

// describe formats the entries: "place header status field (columns)".
func describe(columns []job.MappedColumn) (out []string) {
	for _, c := range columns {
		out = append(out, fmt.Sprintf("%d %q %s %s %v", c.ColumnIndex, c.Header, c.Status, c.TargetField, c.Columns()))
	}
	return out
}

func TestToColumns(t *testing.T) {
	t.Parallel()
	columns, unfit := apply.ToColumns(parse(t, `{"fields":[
		{"field":"NAME","from":["Nom","Prénom"],"separator":", "},
		{"field":"LAST_NAME","from":["Nom"],"dateOrder":"dmy"},
		{"field":"COUNTRY","constant":"FR"},
		{"field":"EMAIL","from":["Mail"]},
		{"field":"PHONE","from":["#3"]}],
		"ignore":["Remarques","Nom","Not there"]}`), matched())
	require.Equal(t, []string{
		`0 "Nom" MANUAL_MATCHED NAME [0 1]`,
		`1 "Prénom" MANUAL_MATCHED  [1]`,
		`2 "" MANUAL_MATCHED PHONE [2]`,
		`3 "Courriel" UNRESOLVED  [3]`,
		`4 "Remarques" IGNORED  [4]`,
		`-1 "Nom" MANUAL_MATCHED LAST_NAME [0]`,
		`-2 "" MANUAL_MATCHED COUNTRY []`,
	}, describe(columns))
	require.Equal(t, []apply.MissingColumn{{Field: "EMAIL", Column: "Mail"}}, unfit)
	require.Equal(t, ", ", columns[0].Separator)
	require.Equal(t, "FR", *columns[6].Constant)
	require.Equal(t, sheet.Finding{Value: "dmy", Evidence: sheet.Stated}, columns[5].Locale.DateOrder)
	require.Equal(t, map[int][]string{0: {"NAME", "LAST_NAME"}, 1: {"NAME"}, 2: {"PHONE"}}, job.FieldsByColumn(columns))
	for _, c := range columns {
		require.Equal(t, c.Status != job.Unresolved, c.Confirmed, c.Header)
	}
}

func TestUnmentionedColumnsStayUnchanged(t *testing.T) {
	t.Parallel()
	columns, unfit := apply.ToColumns(parse(t, `{"fields":[{"field":"FIRST_NAME","from":["Nom"]}]}`), matched())
	require.Empty(t, unfit)
	require.Equal(t, []string{
		`0 "Nom" MANUAL_MATCHED FIRST_NAME [0]`, `1 "Prénom" UNRESOLVED  [1]`, `2 "" UNRESOLVED  [2]`, `3 "Courriel" AUTO_MATCHED EMAIL [3]`, `4 "Remarques" UNRESOLVED  [4]`,
	}, describe(columns))
}

// A document applied to the same file yields the same mappings, repeatedly.
func TestDocumentOfRoundTrips(t *testing.T) {
	t.Parallel()
	text := `{"fields":[
		{"field":"NAME","from":["Nom","Prénom"],"separator":""},
		{"field":"BIRTH_DATE","from":["#3"],"dateOrder":"mdy"},
		{"field":"INITIAL","from":["Nom"],"transforms":[{"op":"extract","pattern":"^."}]},
		{"field":"COUNTRY","constant":"FR"}],
		"ignore":["Courriel","Remarques"]}`
	columns, _ := apply.ToColumns(parse(t, text), matched())
	written, err := json.Marshal(apply.DocumentOf(columns, nil))
	require.NoError(t, err)
	require.JSONEq(t, text, string(written))
	again, unfit := apply.ToColumns(parse(t, string(written)), columns)
	require.Empty(t, unfit)
	require.Equal(t, columns, again)
	fresh, _ := apply.ToColumns(parse(t, string(written)), matched())
	require.Equal(t, columns, fresh)
}

func TestDocumentOfIncludesValueDecisions(t *testing.T) {
	t.Parallel()
	cells := []job.MappedCell{
		{TargetField: "COUNTRY", Value: "Holland", Status: job.ManualMatched, EntityID: "528"},
		{TargetField: "COUNTRY", Value: "Italia", Status: job.AutoMatched, EntityID: "380"},
		{TargetField: "COUNTRY", Value: "-", Status: job.Ignored},
		{TargetField: "TYPE", Value: "Gold", Status: job.ManualMatched, Create: true},
		{TargetField: "TYPE", Value: "?", Status: job.Unresolved},
		{TargetField: "GENDER", Value: "Vrouw", Status: job.ManualMatched, TargetValue: "FEMALE"},
		{TargetField: "GENDER", Value: "n/a", Status: job.ManualMatched, Empty: true},
	}
	written, err := json.Marshal(apply.DocumentOf(nil, cells))
	require.NoError(t, err)
	require.JSONEq(t, `{"values":[{"field":"COUNTRY","value":"Holland","toId":"528"},{"field":"COUNTRY","value":"-","then":"skip"},{"field":"TYPE","value":"Gold","then":"create"},
		{"field":"GENDER","value":"Vrouw","to":"FEMALE"},{"field":"GENDER","value":"n/a","then":"empty"}]}`, string(written))
}

// A few rows may not determine the formats that all rows do: for composed texts, the document
// states them.
func TestDocumentForRowsStatesComposedLocales(t *testing.T) {
	t.Parallel()
	decided := sheet.Locale{DateOrder: sheet.Finding{Value: sheet.DayFirst, Evidence: sheet.Decided}}
	columns := []job.MappedColumn{
		{ColumnIndex: 0, Header: "a", TargetField: "BORN", Locale: decided}, {ColumnIndex: 1, Header: "b", TargetField: "JOINED", ExtraColumns: []int{0}, Separator: " ", Locale: decided},
	}
	few := apply.DocumentForRows(columns, nil, []string{"a", "b"})
	require.Equal(t, []string{"", "dmy"}, []string{few.Fields[0].DateOrder, few.Fields[1].DateOrder})
	all := apply.DocumentOf(columns, nil)
	require.Equal(t, []string{"", ""}, []string{all.Fields[0].DateOrder, all.Fields[1].DateOrder})
}

// An error workbook has two columns before those of the file, so a column without a header
// has another position in it.
func TestDocumentForRowsOfErrorWorkbook(t *testing.T) {
	t.Parallel()
	columns := matched()
	columns[2].TargetField = "PHONE"
	header := []string{job.RowHeader, job.ErrorHeader, "Nom", "Prénom", "", "Courriel", "Remarques"}
	book := make([]job.MappedColumn, len(header))
	for i := range header {
		book[i] = job.MappedColumn{ColumnIndex: i, Header: header[i], Status: job.Unresolved}
	}
	d := apply.DocumentForRows(columns, nil, header)
	applied, unfit := apply.ToColumns(d, book)
	require.Empty(t, unfit)
	require.Equal(t, "PHONE", applied[4].TargetField)

	gone := parse(t, `{"fields":[{"field":"PHONE","from":["Tel"]},{"field":"LAST_NAME","from":["Nom"]}]}`)
	require.Len(t, apply.Applicable(gone, book).Fields, 1)
}
