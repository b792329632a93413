package xlsx_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
)

// generate writes a workbook of seven columns, a date among them, with
// excelize.
func generate(tb testing.TB, rows int) []byte {
	tb.Helper()
	f := excelize.NewFile()
	date, err := f.NewStyle(&excelize.Style{NumFmt: 14})
	require.NoError(tb, err)
	w, err := f.NewStreamWriter("Sheet1")
	require.NoError(tb, err)
	require.NoError(tb, w.SetRow("A1", []any{"id", "email", "name", "amount", "born", "active", "note"}))
	day := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		require.NoError(tb, w.SetRow(fmt.Sprintf("A%d", i+2), []any{
			i + 1, fmt.Sprintf("person%d@example.org", i), fmt.Sprintf("Person Number %d", i),
			float64(i) / 100, excelize.Cell{StyleID: date, Value: day.AddDate(0, 0, i%20000)}, i%2 == 0, "a note & more",
		}))
	}
	require.NoError(tb, w.Flush())
	var out bytes.Buffer
	require.NoError(tb, f.Write(&out))
	require.NoError(tb, f.Close())
	return out.Bytes()
}

const benchRows = 200_000

func BenchmarkOurs(b *testing.B) {
	file := generate(b, benchRows)
	d, err := xlsx.Detect(context.Background(), bytes.NewReader(file), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(b, err)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		r, err := xlsx.Open(context.Background(), bytes.NewReader(file), d, sheet.DefaultLimits())
		require.NoError(b, err)
		for r.Next() {
		}
		require.NoError(b, r.Err())
		require.EqualValues(b, benchRows, r.Counts().Rows)
		require.NoError(b, r.Close())
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkExcelizeRaw(b *testing.B) {
	file := generate(b, benchRows)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		f, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{RawCellValue: true})
		require.NoError(b, err)
		r, err := f.Rows("Sheet1")
		require.NoError(b, err)
		n := 0
		for r.Next() {
			_, err := r.Columns()
			require.NoError(b, err)
			n++
		}
		require.Equal(b, benchRows+1, n)
		require.NoError(b, f.Close())
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}
