package step_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// sheetRows are a sheet's name and rows.
type sheetRows struct {
	name string
	rows [][]any
}

var (
	cover     = sheetRows{"Cover", [][]any{{"Users of the club"}, {"Author", "Ada"}, {"Date", "2026-01-31"}}}
	october   = sheetRows{"Oct", [][]any{{"Email", "Name"}, {"a@x.org", "A"}, {"b@x.org", "B"}}}
	november  = sheetRows{"Nov", [][]any{{"Email", "Name"}, {"c@x.org", "C"}}}
	countries = sheetRows{"Countries", [][]any{{"Code", "Country"}, {"FR", "France"}, {"DE", "Germany"}}}
	notes     = sheetRows{"Notes", [][]any{{"Ask Ada before you change anything."}, {"Thanks!"}}}
)

func workbookWith(t *testing.T, sheets ...sheetRows) string {
	t.Helper()
	x := excelize.NewFile()
	for i, s := range sheets {
		if i == 0 {
			require.NoError(t, x.SetSheetName("Sheet1", s.name))
		} else {
			_, err := x.NewSheet(s.name)
			require.NoError(t, err)
		}
		for row, values := range s.rows {
			at, err := excelize.CoordinatesToCellName(1, row+1)
			require.NoError(t, err)
			require.NoError(t, x.SetSheetRow(s.name, at, &values))
		}
	}
	var out bytes.Buffer
	require.NoError(t, x.Write(&out))
	return out.String()
}

func TestOtherSheetsAreWarned(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	instructions := sheetRows{entity.InstructionsIn("en").Sheet, [][]any{{"Users"}, {"Column", "Required", "Allowed values"}, {"Email", "yes", "Text."}, {"Name", "yes", "Text."}}}
	for name, c := range map[string]struct {
		sheets   []sheetRows
		options  string
		sheet    string
		warnings []string
	}{
		"one sheet":     {[]sheetRows{october}, `{}`, "Oct", nil},
		"same columns":  {[]sheetRows{october, november}, `{}`, "Oct", []string{`SHEET_UNUSED: the sheet "Nov" with 1 row is not read, only "Oct"; to import it, select it (sheetName)`}},
		"other columns": {[]sheetRows{october, countries, notes}, `{}`, "Oct", []string{`SHEET_UNUSED: the sheet "Countries" with 2 rows is not read, only "Oct"; to import it, select it (sheetName)`}},
		"template":      {[]sheetRows{october, instructions}, `{}`, "Oct", nil},
		"notes":         {[]sheetRows{october, notes}, `{}`, "Oct", nil},
		"stated":        {[]sheetRows{october, november}, `{"sheetName":"Nov"}`, "Nov", nil},
		"stated, first": {[]sheetRows{october, november}, `{"sheetIndex":0}`, "Oct", nil},
		"cover":         {[]sheetRows{cover, october}, `{}`, "Oct", []string{`SHEET_CHOSEN: the sheet "Oct" was read, because the first sheet "Cover" does not have the required columns`}},
		"notes in front": {[]sheetRows{notes, november, october}, `{}`, "Nov", []string{
			`SHEET_CHOSEN: the sheet "Nov" was read, because the first sheet "Notes" does not have the required columns`,
			`SHEET_UNUSED: the sheet "Oct" with 2 rows is not read, only "Nov"; to import it, select it (sheetName)`,
		}},
	} {
		ref := e.create(t, "USER", "users.xlsx", workbookWith(t, c.sheets...), func(j *job.Job) { j.Options = json.RawMessage(c.options) })
		_, err := e.analyze.Run(t.Context(), ref)
		require.NoError(t, err, name)
		j := e.job(t, ref)
		require.Equal(t, append([]string{}, c.warnings...), j.WarningCodes, name)
		var dialect struct{ SheetName string }
		require.NoError(t, json.Unmarshal(j.Dialect, &dialect))
		require.Equal(t, c.sheet, dialect.SheetName, name)
		require.JSONEq(t, c.options, string(j.Options), "the options stay as they were stated")
	}
}

// TestChosenSheetIsImported: its rows are written.
func TestChosenSheetIsImported(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.create(t, "USER", "users.xlsx", workbookWith(t, cover, october), nil)
	e.prepare(t, ref)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"2 CREATED", "3 CREATED"}, e.results(t, ref))
}

// TestStatedCoverIsRead: a stated sheet always wins, and the import fails with the columns that it
// does not have.
func TestStatedCoverIsRead(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.create(t, "USER", "users.xlsx", workbookWith(t, cover, october), func(j *job.Job) { j.Options = json.RawMessage(`{"sheetName":"Cover"}`) })
	_, err := e.analyze.Run(t.Context(), ref)
	require.Equal(t, problem.RequiredColumnMissing, problem.CodeOf(err))
}

func TestOtherSheetsAreAsked(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	for name, c := range map[string]struct {
		file string
		next string
	}{
		"other rows": {workbookWith(t, october, november), nextColumns},
		"one sheet":  {workbookWith(t, october), nextResolve},
		"cover":      {workbookWith(t, cover, october), nextResolve},
	} {
		next, _ := e.analyzeColumns(t, "USER", c.file, job.ReviewUnsure)
		require.Equal(t, c.next, next, name)
	}
}
