package xlsx_test

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// readAndCheck reads a file both ways and checks the result against the contract, and against the
// result of prefetching it in blocks of a few bytes.
func readAndCheck(t *testing.T, file []byte) {
	t.Helper()
	lim := sheet.DefaultLimits()
	lim.SharedBytes = 1 << 16
	d, err := xlsx.Detect(context.Background(), bytes.NewReader(file), sheet.Options{}, lim)
	if err != nil {
		requireFileError(t, err)
		return
	}
	rows, err := xlsx.Open(context.Background(), bytes.NewReader(file), d, lim)
	if err != nil {
		requireFileError(t, err)
		return
	}
	last, out := d.HeaderRow, readOutcome{}
	for rows.Next() {
		row := rows.Row()
		require.Greater(t, row.Number, last)
		last = row.Number
		require.NotEmpty(t, row.Cells)
		require.NotEqual(t, sheet.Empty, row.Cells[len(row.Cells)-1].Kind, "rows end with a value")
		for _, c := range row.Cells {
			require.True(t, utf8.Valid(c.Bytes))
			require.Equal(t, c.Kind == sheet.Empty || c.Kind == sheet.Formula, len(c.Bytes) == 0)
		}
		out.rows = append(out.rows, show(row))
	}
	if out.err = rows.Err(); out.err != nil {
		requireFileError(t, out.err)
	}
	out.counts = rows.Counts()
	require.Equal(t, out.counts.Lines, out.counts.Rows+out.counts.Blank+out.counts.Header)
	require.NoError(t, rows.Close())
	// In blocks of one byte, no shortcut is ever possible.
	for _, size := range []int{1, 1 + int(crc32.ChecksumIEEE(file)%97)} {
		requireSamePrefetched(t, file, d, lim, out, size)
	}
}

// requireFileError requires an error of the file, because the source itself never fails.
func requireFileError(t *testing.T, err error) {
	t.Helper()
	var fault *problem.Error
	require.True(t, errors.As(err, &fault), "%v", err)
	require.NotEqual(t, problem.Internal, fault.Code)
}

// FuzzXLSX reads any bytes as a file.
func FuzzXLSX(f *testing.F) {
	f.Add(xlsxtest.Workbook(xlsxtest.Header + `<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>44197</v></c></row>`).Bytes(f))
	f.Add(threeSheets().Bytes(f))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(readAndCheck)
}

// FuzzXLSXSheet reads any bytes as the rows of a sheet.
func FuzzXLSXSheet(f *testing.F) {
	for _, rows := range []string{
		xlsxtest.Header + `<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>44197</v></c></row>`,
		`<row><c><v>1.1000000000000001</v></c></row><row r="9" hidden="1"><c r="C9" t="b"><v>1</v></c><c r="A9" t="e"><v>#N/A</v></c></row>`,
		`<row r="1"><c r="A1" t="inlineStr"><is><r><t>a&amp;_x000D_</t></r><rPh><t>x</t></rPh></is></c><c t="d"><v>2021-01-01T10:00:00Z</v></c></row>`,
		`<row r="1"><c r="A1" t="str"><f t="shared" si="0">A2</f><v>x</v></c><c r="XFD1"><f/></c></row><mc:x xmlns:mc="m"/><![CDATA[x]]>`,
	} {
		f.Add([]byte(rows))
	}
	f.Fuzz(func(t *testing.T, rows []byte) { readAndCheck(t, xlsxtest.Workbook(string(rows)).StoredBytes(t)) })
}

// FuzzSharedStrings reads any bytes as the table of shared strings.
func FuzzSharedStrings(f *testing.F) {
	f.Add([]byte(xlsxtest.SharedStrings(`<t>a</t>`, `<r><t xml:space="preserve"> b</t></r><r><rPr><b/></rPr><t>c</t></r>`, `<t>_x0041_</t><rPh sb="0" eb="1"><t>d</t></rPh>`)))
	f.Add([]byte(`<x:sst xmlns:x="u"><x:si><x:t/></x:si></x:sst>`))
	book := xlsxtest.Workbook(xlsxtest.Header + `<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>2</v></c></row>`)
	f.Fuzz(func(t *testing.T, table []byte) {
		readAndCheck(t, book.With(xlsxtest.Parts{"xl/sharedStrings.xml": string(table)}).StoredBytes(t))
	})
}

// FuzzXLSXParts reads any bytes as the parts that describe the workbook.
func FuzzXLSXParts(f *testing.F) {
	base := xlsxtest.Workbook(xlsxtest.Header + `<row r="2"><c r="A2" s="2"><v>44197</v></c></row>`)
	f.Add([]byte(base["xl/workbook.xml"]), []byte(base["xl/_rels/workbook.xml.rels"]), []byte(base["xl/styles.xml"]))
	f.Fuzz(func(t *testing.T, main, rels, styles []byte) {
		readAndCheck(t, base.With(xlsxtest.Parts{
			"xl/workbook.xml": string(main), "xl/_rels/workbook.xml.rels": string(rels), "xl/styles.xml": string(styles),
		}).StoredBytes(t))
	})
}
