package reader_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

func sheets(t *testing.T, in string, format sheet.Format) []sheet.Summary {
	t.Helper()
	found, err := reader.SheetSummaries(t.Context(), strings.NewReader(in), format, sheet.DefaultLimits())
	require.NoError(t, err)
	return found
}

// A sheet that is longer than the sample has the number of rows that it declares; a shorter one
// has the actual number.
func TestSheetSummaries(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	var records [][]byte
	for i := range 1500 {
		fmt.Fprintf(&long, `<row r="%d"><c r="A%[1]d"><v>%[1]d</v></c><c r="B%[1]d"><v>1</v></c></row>`, i+1)
		records = append(records, xlstest.Number(uint16(i), 0, 0, float64(i)), xlstest.Number(uint16(i), 1, 0, 1))
	}
	parts := xlsxtest.Workbook(long.String())
	claims := func(ref string) xlsxtest.Parts {
		return parts.With(xlsxtest.Parts{"xl/worksheets/sheet1.xml": strings.Replace(xlsxtest.Worksheet(long.String()), "<sheetData>", `<dimension ref="`+ref+`"/><sheetData>`, 1)})
	}
	for ref, rows := range map[string]int64{"A1:B1500": 1500, "$A$1:$B$1500": 1500, "A1": 1000, "nonsense": 1000, "A1:B99999999": 1_048_576} {
		found := sheets(t, string(claims(ref).Bytes(t)), sheet.XLSX)
		require.Len(t, found, 1)
		require.Equal(t, rows, found[0].Rows, ref)
		require.False(t, found[0].Exact)
		require.True(t, found[0].LooksLikeData)
		require.Equal(t, 2, found[0].Columns)
	}
	short := sheets(t, string(xlsxtest.Workbook(`<row r="7"><c r="A7"><v>1</v></c></row>`).Bytes(t)), sheet.XLSX)
	require.Equal(t, []any{int64(7), true, false}, []any{short[0].Rows, short[0].Exact, short[0].LooksLikeData})

	old := xlstest.Book{Version: xlstest.BIFF8, Sheets: []xlstest.Sheet{{Name: "Long", Records: records}, {Name: "Cover", Records: records[:1]}}}
	found := sheets(t, string(old.File()), sheet.XLS)
	require.Equal(t, int64(1500), found[0].Rows)
	require.True(t, found[0].LooksLikeData)
	require.False(t, found[1].LooksLikeData)
	require.Nil(t, sheets(t, "a,b\n", sheet.CSV))
}
