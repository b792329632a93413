package step_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// TestFileWithoutRowsIsWarned, whatever its format: most likely it is
// not the file that was meant.
func TestFileWithoutRowsIsWarned(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"CSV":             "Email,Name\n",
		"CSV, blank rows": "Email,Name\n,\n\n",
		"XLSX": string(xlsxtest.Workbook(`<row><c t="inlineStr"><is><t>Email</t></is></c><c t="inlineStr"><is><t>Name</t></is></c></row>`).
			Bytes(t)),
		"XLS": string(xlstest.Simple(xlstest.Label(0, 0, "Email"), xlstest.Label(0, 1, "Name")).File()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 100)
			ref := e.create(t, "USER", "users", file, nil)
			e.prepare(t, ref)
			require.NoError(t, e.split.Run(t.Context(), ref), "a splitter that runs again")
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Equal(t, []string{string(problem.NoRows)}, e.job(t, ref).WarningCodes)
			e.requireReconciled(t, ref, job.Counts{})
		})
	}
	t.Run("a whole file", func(t *testing.T) {
		t.Parallel()
		e := setupEvent(t)
		ref := e.createInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category,Registration number\n", `{}`)
		e.runWhole(t, ref, 100)
		require.Equal(t, []string{string(problem.NoRows)}, e.job(t, ref).WarningCodes)
		e.requireReconciled(t, ref, job.Counts{})
	})
	t.Run("a file with a row", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 100)
		require.Empty(t, e.job(t, e.runRows(t, "USER", "Email,Name\na@x.org,Ann\n", nil)).WarningCodes)
	})
	for name, file := range map[string]string{"NDJSON without records": "\n\n", "NDJSON, one line of nothing": " \n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 100)
			_, err := e.analyze.Run(t.Context(), e.create(t, "USER", "users.ndjson", file, nil))
			require.Equal(t, problem.FileEmpty, problem.CodeOf(err), "there is not even a header")
		})
	}
}
