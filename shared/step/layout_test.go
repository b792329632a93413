package step_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// layoutFile returns a workbook of users with a hidden row and column, cells that are merged over two
// rows, and values without a header, one of them only below the rows that detection samples.
func layoutFile(t *testing.T) string {
	t.Helper()
	x := excelize.NewFile()
	require.NoError(t, x.SetSheetRow("Sheet1", "A1", &[]any{"Email", "Name", "Role"}))
	for row := 2; row <= 1_003; row++ {
		require.NoError(t, x.SetSheetRow("Sheet1", fmt.Sprintf("A%d", row), &[]any{fmt.Sprintf("a%d@example.org", row), "Ann", "author"}))
	}
	require.NoError(t, x.SetRowVisible("Sheet1", 5, false))
	require.NoError(t, x.SetColVisible("Sheet1", "B", false))
	require.NoError(t, x.MergeCell("Sheet1", "C7", "C8"))
	require.NoError(t, x.SetCellValue("Sheet1", "D3", "left the club"))
	require.NoError(t, x.SetCellValue("Sheet1", "E1003", "see page 2"))
	var out bytes.Buffer
	require.NoError(t, x.Write(&out))
	return out.String()
}

// TestWorkbookLayoutIsWarned: a person who looks at the sheet would expect other rows and values.
func TestWorkbookLayoutIsWarned(t *testing.T) {
	t.Parallel()
	e := setup(t, 500)
	ref := e.create(t, "USER", "users.xlsx", layoutFile(t), nil)
	e.prepare(t, ref)
	require.ElementsMatch(t, []string{
		"COLUMNS_HIDDEN: Name",
		`COLUMN_UNUSED: column "#4" with 1 value is not used`,
		"COLUMN_UNUSED: values right of the last column are not used: 1, starting with row 1003",
		"ROWS_HIDDEN: 1, starting with row 5",
		"CELLS_MERGED: 1, starting with C7:C8",
	}, e.job(t, ref).WarningCodes)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Len(t, e.results(t, ref), 1_002)
}

func TestStrictImportRefusesValuesRightOfTheHeader(t *testing.T) {
	t.Parallel()
	e := setup(t, 500)
	x, err := excelize.OpenReader(bytes.NewReader([]byte(layoutFile(t))))
	require.NoError(t, err)
	require.NoError(t, x.SetCellValue("Sheet1", "D3", nil))
	var out bytes.Buffer
	require.NoError(t, x.Write(&out))
	ref := e.create(t, "USER", "users.xlsx", out.String(), func(j *job.Job) { j.StatedOptions.Strict = new(true) })
	_, err = e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	_, err = e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	err = e.split.Run(t.Context(), ref)
	require.Equal(t, problem.ColumnUnused, problem.CodeOf(err))
}
