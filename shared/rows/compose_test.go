package rows_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/transform"
)

func text(s string) sheet.Cell { return sheet.Cell{Kind: sheet.Text, Bytes: []byte(s)} }

func number(s string) sheet.Cell { return sheet.Cell{Kind: sheet.Number, Bytes: []byte(s)} }

// field returns a field of an import type.
func field(t *testing.T, kind, name string) *entity.Field {
	t.Helper()
	found, ok := catalog.New().ByName(kind)
	require.True(t, ok)
	d := found.Declaration()
	return &d.Fields[d.FieldIndex(name)]
}

func TestComposition(t *testing.T) {
	t.Parallel()
	user, _ := catalog.New().ByName("USER")
	for _, c := range []struct {
		what    string
		column  job.MappedColumn
		cells   []sheet.Cell
		want    string // value of NAME
		refused string
	}{
		{"joined", job.MappedColumn{ColumnIndex: 0, ExtraColumns: []int{2}, Separator: ", "}, []sheet.Cell{text(" Lang "), text("x"), text("Ute")}, "Lang, Ute", ""},
		{"joined in another order", job.MappedColumn{ColumnIndex: -1, ExtraColumns: []int{2, 0}, Separator: " "}, []sheet.Cell{text("Lang"), text("x"), text("Ute")}, "Ute Lang", ""},
		{"blank ones left out", job.MappedColumn{ColumnIndex: 0, ExtraColumns: []int{1, 2}, Separator: " "}, []sheet.Cell{text("Lang"), text("  "), text("Ute")}, "Lang Ute", ""},
		{"beyond the row's end", job.MappedColumn{ColumnIndex: 0, ExtraColumns: []int{7}, Separator: " "}, []sheet.Cell{text("Lang")}, "Lang", ""},
		{"one of a number", job.MappedColumn{ColumnIndex: 0, ExtraColumns: []int{1}, Separator: "-"}, []sheet.Cell{text("A"), number("12.0")}, "A-12", ""},
		{"a second field of a column", job.MappedColumn{ColumnIndex: -1, ExtraColumns: []int{0}}, []sheet.Cell{text("Lang")}, "Lang", ""},
		{"a constant", job.MappedColumn{ColumnIndex: -1, Constant: new("FR")}, []sheet.Cell{text("x")}, "FR", ""},
		{"a part", job.MappedColumn{ColumnIndex: 0, Transforms: []transform.Step{{Op: transform.Split, Separator: ",", Part: 2}}}, []sheet.Cell{text("Lang, Ute")}, "Ute", ""},
		{"joined, then changed", job.MappedColumn{ColumnIndex: 0, ExtraColumns: []int{1}, Separator: " ", Transforms: []transform.Step{{Op: transform.Lower}, {Op: transform.Title}}}, []sheet.Cell{text("LANG"), text("UTE")}, "Lang Ute", ""},
		{"empty, with a default", job.MappedColumn{ColumnIndex: 0, Transforms: []transform.Step{{Op: transform.Default, Value: "nobody"}}}, []sheet.Cell{text("")}, "nobody", ""},
		{"no such part", job.MappedColumn{ColumnIndex: 0, Transforms: []transform.Step{{Op: transform.Trim}, {Op: transform.Split, Separator: ",", Part: 2}}}, []sheet.Cell{text("Lang")}, "", `CELL_TRANSFORM "Lang" Name: Step 2 (split): The text does not have this part.`},
		{"an error joined", job.MappedColumn{ColumnIndex: 0, ExtraColumns: []int{1}}, []sheet.Cell{text("Lang"), {Kind: sheet.ErrorValue, Bytes: []byte("#REF!")}}, "", `CELL_ERROR "#REF!" Name: The cell contains a spreadsheet error, such as #REF!.`},
		{"nested", job.MappedColumn{ColumnIndex: 0, Transforms: []transform.Step{{Op: transform.Trim}}}, []sheet.Cell{{Kind: sheet.JSON, Bytes: []byte(`{}`)}}, "", `CELL_NESTED "{}" Name: This is a JSON object or array, but the column requires a single value.`},
	} {
		c.column.TargetField = "NAME"
		columns := []job.MappedColumn{c.column, {ColumnIndex: -9, Constant: new("ada@example.org"), TargetField: "EMAIL"}}
		plan, err := rows.NewPlan(user.Declaration(), columns)
		require.NoError(t, err)
		decoder := rows.NewDecoder(plan, &job.Job{OrganisationID: 1}, &sheet.Dialect{Format: sheet.XLSX}, 10)
		faults := decoder.Add(&sheet.Row{Number: 2, Cells: c.cells})
		if c.refused != "" {
			require.Len(t, faults, 1, c.what)
			require.Equal(t, c.refused, fmt.Sprintf("%s %q %s", faults[0].Code, faults[0].Value, faults[0].Message), c.what)
			continue
		}
		require.Empty(t, faults, c.what)
		require.Equal(t, c.want, decoder.Batch.Columns[user.Declaration().FieldIndex("NAME")].String(0), c.what)
	}
}

// Steps apply to text only: a numeric cell of a workbook stays unchanged.
func TestTransformsKeepTypedCells(t *testing.T) {
	t.Parallel()
	swap := []transform.Step{{Op: transform.Replace, Old: "."}, {Op: transform.Replace, Old: ",", New: "."}}
	made, err := rows.NewComposition(field(t, "ORDER", "TOTAL_WEIGHT"), &job.MappedColumn{TargetField: "TOTAL_WEIGHT", Transforms: swap})
	require.NoError(t, err)
	composer := made.NewComposer(&sheet.Dialect{Format: sheet.XLSX}, transform.NewBudget())
	for _, c := range []struct{ in, want sheet.Cell }{
		{number("1500.5"), number("1500.5")},
		{text("1.500,5"), text("1500.5")},
	} {
		got, misfit := composer.Cell(&sheet.Row{Cells: []sheet.Cell{c.in}})
		require.Nil(t, misfit)
		require.Equal(t, c.want, got)
	}
}

// The survey determines the format of composed dates from the composed texts, not from the
// columns that they consist of.
func TestSurveyReadsComposedTexts(t *testing.T) {
	t.Parallel()
	member, _ := catalog.New().ByName("MEMBERSHIP")
	columns := []job.MappedColumn{
		{ColumnIndex: 0, TargetField: "BIRTH_DATE", Transforms: []transform.Step{{Op: transform.Extract, Pattern: `[0-9/]+`}}},
		{ColumnIndex: 1, TargetField: "JOINED_ON"},
		{ColumnIndex: 2, TargetField: "LAST_NAME", Transforms: []transform.Step{{Op: transform.Trim}}},
	}
	dialect := &sheet.Dialect{Format: sheet.CSV, Header: []string{"a", "b", "c"}}
	survey, err := rows.NewLocaleSurvey(t.Context(), member.Declaration(), columns, dialect, false)
	require.NoError(t, err)
	require.True(t, survey.Needed())
	for _, born := range []string{"born 03/04/1990", "born 25/12/1991", "unknown"} {
		survey.Add(&sheet.Row{Cells: []sheet.Cell{text(born), text("03/04/2020"), text("x")}})
	}
	settled := survey.Finish()
	require.Len(t, settled, 1)
	require.Equal(t, sheet.Finding{Value: sheet.DayFirst, Evidence: sheet.Decided, DecidedBy: 1}, settled[0].Locale.DateOrder)
	require.Equal(t, settled[0], columns[0])
	again, err := rows.NewLocaleSurvey(t.Context(), member.Declaration(), columns, dialect, false)
	require.NoError(t, err)
	require.False(t, again.Needed())
}
