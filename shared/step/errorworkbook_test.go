package step_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/errorworkbook"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/analyze"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// errorWorkbook returns the workbook of a job's failed rows.
func (e *engine) errorWorkbook(t *testing.T, ref job.Ref) *excelize.File {
	t.Helper()
	j := e.job(t, ref)
	kind, ok := catalog.New().ByName(j.ImportType)
	require.True(t, ok)
	var out bytes.Buffer
	n, err := errorworkbook.New(e.DB, e.memory, sheet.DefaultLimits()).Write(t.Context(), &out, translation.English, j, kind.Declaration())
	require.NoError(t, err)
	require.Equal(t, j.Progress.Counts.Errored, n)
	f, err := excelize.OpenReader(&out)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// The failed rows are corrected in their workbook and imported. Only these rows are written,
// no question is asked, and untouched entities do not change.
func TestCorrectedErrorWorkbookImportsOnlyItsRows(t *testing.T) {
	t.Parallel()
	const file = "Full name;Email;Created at;Active\n" +
		"Anna;a@x.org;31.01.2026 10:00;ja\n" +
		"=Ben;not an address;03.02.2026 11:30;nein\n" +
		"\n" +
		"'+27 Cleo;c@x.org;yesterday;ja\n" +
		"Dora;d@x.org;04.02.2026 12:00;ja\n"
	for _, chunkRows := range []int{1, 100} {
		e := setup(t, chunkRows)
		first := e.create(t, "USER", "users.csv", file, nil)
		e.prepare(t, first)
		e.drain(t, false)
		require.NoError(t, e.complete.Run(t.Context(), first))
		require.Equal(t, []string{"2 CREATED", "3 ERROR EMAIL CELL_EMAIL", "5 ERROR CREATED_AT CELL_DATE", "6 CREATED"}, e.results(t, first))

		book := e.errorWorkbook(t, first)
		rows, err := book.GetRows("Errors")
		require.NoError(t, err)
		require.Equal(t, []string{"3", "5"}, []string{rows[1][0], rows[2][0]})
		require.NoError(t, book.SetCellStr("Errors", "D2", "b@x.org"))
		require.NoError(t, book.SetCellStr("Errors", "E3", "2026-02-05"))
		var corrected bytes.Buffer
		require.NoError(t, book.Write(&corrected))

		again := e.create(t, "USER", "errors.xlsx", corrected.String(), func(j *job.Job) { j.AutoStart, j.RetryOf = false, first.JobID })
		next, err := e.analyze.Run(t.Context(), again)
		require.NoError(t, err)
		require.Equal(t, analyze.NextResolve, next.Next)
		next, err = e.resolve.Run(t.Context(), again)
		require.NoError(t, err)
		require.Equal(t, resolve.NextSplit, next.Next)
		require.NoError(t, e.split.Run(t.Context(), again))
		e.drain(t, false)
		require.NoError(t, e.complete.Run(t.Context(), again))
		require.Equal(t, []string{"2 CREATED", "3 CREATED"}, e.results(t, again))
		require.Equal(t, first.JobID, e.job(t, again).RetryOf)
		require.Equal(t, []string{"+27 Cleo c@x.org 2026-02-05 00:00 t", "=Ben b@x.org 2026-02-03 11:30 f", "Anna a@x.org 2026-01-31 10:00 t", "Dora d@x.org 2026-02-04 12:00 t"},
			postgrestest.Query[[]string](t, e.Database, `
				SELECT array_agg(concat_ws(' ', name, email, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), active) ORDER BY name COLLATE "C") FROM users`))
	}
}

func TestErrorWorkbookOfWorkbook(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	x := excelize.NewFile()
	for i, row := range [][]any{{"Email", "Name", "Active"}, {"a@x.org", "Anna", true}, {"nonsense", "Ben", 1}, {"c@x.org", nil, "maybe"}, {"d@x.org", 12345, false}} {
		at, err := excelize.CoordinatesToCellName(1, i+1)
		require.NoError(t, err)
		require.NoError(t, x.SetSheetRow("Sheet1", at, &row))
	}
	var file bytes.Buffer
	require.NoError(t, x.Write(&file))
	ref := e.create(t, "USER", "users.xlsx", file.String(), nil)
	e.prepare(t, ref)
	e.drain(t, false)
	rows, err := e.errorWorkbook(t, ref).GetRows("Errors")
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"Loadbay row", "Loadbay message", "Email", "Name", "Active"},
		{"3", rows[1][1], "nonsense", "Ben", "1"},
		{"4", rows[2][1], "c@x.org", "", "maybe"},
	}, rows)
	require.Regexp(t, `^Email: .+`, rows[1][1])
	require.Regexp(t, `^Name: .+\nActive: .+`, rows[2][1])
}
