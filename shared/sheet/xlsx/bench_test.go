package xlsx_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// generate writes a workbook of seven columns, including a date, with excelize.
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

// generateShared is generate in the form of Excel: all text is in the table of shared strings, with
// two new strings per row.
func generateShared(tb testing.TB, rows int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	base := xlsxtest.Workbook("")
	delete(base, "xl/worksheets/sheet1.xml")
	delete(base, "xl/sharedStrings.xml")
	for name, text := range base {
		writePart(tb, w, name, func(b *bufio.Writer) { b.WriteString(text) })
	}
	writePart(tb, w, "xl/worksheets/sheet1.xml", func(b *bufio.Writer) {
		b.WriteString(`<worksheet xmlns="` + xlsxtest.MainNS + `"><sheetData>` + xlsxtest.Header)
		for i := range rows {
			r := i + 2
			fmt.Fprintf(b, `<row r="%d" spans="1:7"><c r="A%d"><v>%d</v></c><c r="B%d" t="s"><v>%d</v></c><c r="C%d" t="s"><v>%d</v></c>`, r, r, i+1, r, 2*i, r, 2*i+1)
			fmt.Fprintf(b, `<c r="D%d"><v>%.2f</v></c><c r="E%d" s="1"><v>%d</v></c><c r="F%d" t="b"><v>%d</v></c><c r="G%d" t="s"><v>0</v></c></row>`,
				r, float64(i)/100, r, 25569+i%20000, r, i%2, r)
		}
		b.WriteString(`</sheetData></worksheet>`)
	})
	writePart(tb, w, "xl/sharedStrings.xml", func(b *bufio.Writer) {
		fmt.Fprintf(b, `<sst xmlns="%s" count="%d" uniqueCount="%d">`, xlsxtest.MainNS, 3*rows, 2*rows)
		for i := range rows {
			fmt.Fprintf(b, `<si><t>person%d@example.org</t></si><si><t>Person Number %d</t></si>`, i, i)
		}
		b.WriteString(`</sst>`)
	})
	require.NoError(tb, w.Close())
	return out.Bytes()
}

func writePart(tb testing.TB, w *zip.Writer, name string, fn func(*bufio.Writer)) {
	tb.Helper()
	f, err := w.Create(name)
	require.NoError(tb, err)
	b := bufio.NewWriter(f)
	fn(b)
	require.NoError(tb, b.Flush())
}

const benchRows = 200_000

// BenchmarkReader reads 200,000 rows of 7 columns, including a date, in the forms of Excel and of
// streaming writers, with this package and with excelize.
func BenchmarkReader(b *testing.B) {
	files := map[string][]byte{"shared": generateShared(b, benchRows), "inline": generate(b, benchRows)}
	readers := map[string]func(testing.TB, []byte) int{"loadbay": countRows, "excelize": countRowsOfExcelize}
	for _, strings := range []string{"shared", "inline"} {
		for _, reader := range []string{"loadbay", "excelize"} {
			b.Run(reader+"/"+strings, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					require.Equal(b, benchRows, readers[reader](b, files[strings]))
				}
				b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

func countRows(tb testing.TB, file []byte) int {
	r, err := xlsx.Open(context.Background(), bytes.NewReader(file), &sheet.Dialect{HeaderRow: 1}, sheet.DefaultLimits())
	require.NoError(tb, err)
	for r.Next() {
	}
	require.NoError(tb, r.Err())
	require.NoError(tb, r.Close())
	return int(r.Counts().Rows)
}

func countRowsOfExcelize(tb testing.TB, file []byte) int {
	f, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{RawCellValue: true})
	require.NoError(tb, err)
	r, err := f.Rows(f.GetSheetName(0))
	require.NoError(tb, err)
	n := -1 // excludes the xlsxtest.Header
	for r.Next() {
		_, err := r.Columns()
		require.NoError(tb, err)
		n++
	}
	require.NoError(tb, f.Close())
	return n
}
