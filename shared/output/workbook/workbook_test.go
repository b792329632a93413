package workbook_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/output/workbook"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/cellname"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
)

// finishAndOpen returns a workbook as opened by another library, and its bytes.
func finishAndOpen(t *testing.T, b *workbook.Book) (*excelize.File, []byte) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, b.Finish(&out))
	require.NoError(t, b.Close())
	f, err := excelize.OpenReader(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f, out.Bytes()
}

// texts are cell texts that are hard to encode.
var texts = []string{
	"plain", "a & b < c > d \"e\" 'f'", " around ", "two\nlines", "tab\tulator", "carriage\rreturn", "_x0041_", "_x005F_x0041_", "x_x12_", "\x01\x1f", "ünïcödé 日本 😀", "=1+1", "]]>", "\uFFFE",
}

// TestTextsRoundTrip through our own reader and, except for unsupported cases, through another
// one.
func TestTextsRoundTrip(t *testing.T) {
	t.Parallel()
	var b workbook.Book
	s, err := b.Sheet("A & B", workbook.Layout{})
	require.NoError(t, err)
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = text
	}
	require.NoError(t, s.Row(values...))
	f, file := finishAndOpen(t, &b)
	rows, err := xlsx.Open(t.Context(), bytes.NewReader(file), &sheet.Dialect{}, sheet.DefaultLimits())
	require.NoError(t, err)
	require.True(t, rows.Next(), "%v", rows.Err())
	for i, text := range texts {
		require.Equal(t, text, string(rows.Row().Cells[i].Bytes))
	}
	require.False(t, rows.Next())
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())
	require.Equal(t, []string{"A & B"}, f.GetSheetList())
	for _, i := range []int{0, 1, 2, 3, 4, 6, 10, 11, 12} {
		got, err := f.GetCellValue("A & B", cellname.Column(i)+"1")
		require.NoError(t, err)
		require.Equal(t, texts[i], got)
	}
}

func TestValuesAndStyles(t *testing.T) {
	t.Parallel()
	var b workbook.Book
	loud := b.Style(workbook.Style{Bold: true, Colour: "9C0006", Fill: "FFC7CE", Wrap: true, Vertical: "top", Size: 14})
	require.Equal(t, loud, b.Style(workbook.Style{Bold: true, Colour: "9C0006", Fill: "FFC7CE", Wrap: true, Vertical: "top", Size: 14}))
	require.Zero(t, b.Style(workbook.Style{}))
	day := b.Style(workbook.Style{Format: "yyyy-mm-dd"})
	s, err := b.Sheet("Data", workbook.Layout{
		Columns: []workbook.Column{{Width: 30}, {}, {Style: day}}, FrozenColumns: 2, FrozenRows: 1,
		Validations: []workbook.Validation{{Column: 27, Title: "One <of>", Prompt: "\"A\" & B", List: "Lists!$A$1:$A$2", WarnTitle: "No", WarnPrompt: "Keep it?"}},
	})
	require.NoError(t, err)
	hidden, err := b.Sheet("Lists", workbook.Layout{Hidden: true})
	require.NoError(t, err)
	require.NoError(t, s.Row(workbook.Cell{Value: "x", Style: loud}, nil, workbook.Cell{Style: day}, true, false, 7, int64(math.MaxInt64), -0.25, 1e21))
	require.NoError(t, hidden.Row("a"))
	require.NoError(t, s.Row())
	require.NoError(t, s.Row(nil, "third"))
	f, _ := finishAndOpen(t, &b)
	got, err := f.GetRows("Data", excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"x", "", "", "1", "0", "7", "9223372036854775807", "-0.25", "1000000000000000000000"}, nil, {"", "third"}}, got)
	id, err := f.GetCellStyle("Data", "A1")
	require.NoError(t, err)
	style, err := f.GetStyle(id)
	require.NoError(t, err)
	require.True(t, style.Font.Bold)
	require.InDelta(t, 14, style.Font.Size, 0)
	require.Equal(t, 1, style.Fill.Pattern, "solid")
	require.Equal(t, "9C0006", style.Font.Color)
	require.True(t, style.Alignment.WrapText)
	id, err = f.GetColStyle("Data", "C")
	require.NoError(t, err)
	style, err = f.GetStyle(id)
	require.NoError(t, err)
	require.Equal(t, "yyyy-mm-dd", *style.CustomNumFmt)
	panes, err := f.GetPanes("Data")
	require.NoError(t, err)
	require.Equal(t, excelize.Panes{Freeze: true, XSplit: 2, YSplit: 1, TopLeftCell: "C2", ActivePane: "bottomRight"}, panes)
	valid, err := f.GetDataValidations("Data")
	require.NoError(t, err)
	require.Len(t, valid, 1)
	require.Equal(t, "AB2:AB1048576", valid[0].Sqref)
	require.Equal(t, "Lists!$A$1:$A$2", valid[0].Formula1)
	require.Equal(t, "\"A\" & B", *valid[0].Prompt)
	visible, err := f.GetSheetVisible("Lists")
	require.NoError(t, err)
	require.False(t, visible)
}

// TestLargeSheetSpillsToFile while the rows of another one are written alternately.
func TestLargeSheetSpillsToFile(t *testing.T) {
	t.Parallel()
	const rows = 60_000
	var b workbook.Book
	one, err := b.Sheet("One", workbook.Layout{})
	require.NoError(t, err)
	two, err := b.Sheet("Two", workbook.Layout{})
	require.NoError(t, err)
	for i := range rows {
		require.NoError(t, one.Row(i, fmt.Sprintf("%x", uint64(i)*0x9E3779B97F4A7C15), fmt.Sprintf("%x", uint64(i)*0xD1B54A32D192ED03)))
		if i%1000 == 0 {
			require.NoError(t, two.Row(i))
		}
	}
	_, file := finishAndOpen(t, &b)
	require.Greater(t, len(file), 1<<20)
	for index, want := range []int64{rows, rows / 1000} {
		r, err := xlsx.Open(t.Context(), bytes.NewReader(file), &sheet.Dialect{SheetIndex: index}, sheet.DefaultLimits())
		require.NoError(t, err)
		for r.Next() {
		}
		require.NoError(t, r.Err())
		require.Equal(t, want, r.Counts().Rows)
		require.NoError(t, r.Close())
	}
}

func TestSheetLimits(t *testing.T) {
	t.Parallel()
	var b workbook.Book
	s, err := b.Sheet("S", workbook.Layout{})
	require.NoError(t, err)
	require.NoError(t, s.Row(strings.Repeat("😀", workbook.MaxCellUTF16)))
	for range workbook.MaxRows - 1 {
		require.NoError(t, s.Row())
	}
	require.Error(t, s.Row())
	f, _ := finishAndOpen(t, &b)
	got, err := f.GetCellValue("S", "A1")
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("😀", workbook.MaxCellUTF16/2), got, "a surrogate pair is not split")
}

func TestWorkbookWithoutSheetsGetsEmptySheet(t *testing.T) {
	t.Parallel()
	f, _ := finishAndOpen(t, &workbook.Book{})
	require.Equal(t, []string{"Sheet1"}, f.GetSheetList())
}
