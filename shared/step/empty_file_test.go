package step_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// TestFileWithoutRowsIsWarned checks every format: a file without rows is probably not the
// intended one.
func TestFileWithoutRowsIsWarned(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"CSV":                 "Email,Name\n",
		"CSV with blank rows": "Email,Name\n,\n\n",
		"XLSX": string(xlsxtest.Workbook(`<row><c t="inlineStr"><is><t>Email</t></is></c><c t="inlineStr"><is><t>Name</t></is></c></row>`).
			Bytes(t)),
		"XLS": string(xlstest.Simple(xlstest.Label(0, 0, "Email"), xlstest.Label(0, 1, "Name")).File()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 100)
			ref := e.create(t, "USER", "users", file, nil)
			e.prepare(t, ref)
			require.NoError(t, e.split.Run(t.Context(), ref), "running the splitter again is harmless")
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Equal(t, []string{string(problem.NoRows)}, e.job(t, ref).WarningCodes)
			e.requireReconciled(t, ref, job.Counts{})
		})
	}
	t.Run("whole file", func(t *testing.T) {
		t.Parallel()
		e := setupEvent(t)
		ref := e.createInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category,Registration number\n", `{}`)
		e.runWhole(t, ref, 100)
		require.Equal(t, []string{string(problem.NoRows)}, e.job(t, ref).WarningCodes)
		e.requireReconciled(t, ref, job.Counts{})
	})
	t.Run("file with one row", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 100)
		require.Empty(t, e.job(t, e.runRows(t, "USER", "Email,Name\na@x.org,Ann\n", nil)).WarningCodes)
	})
	for name, file := range map[string]string{"NDJSON without records": "\n\n", "NDJSON with a blank line": " \n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 100)
			_, err := e.analyze.Run(t.Context(), e.create(t, "USER", "users.ndjson", file, nil))
			require.Equal(t, problem.FileEmpty, problem.CodeOf(err), "the file has no header")
		})
	}
}
