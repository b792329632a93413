package reader_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// tableWithNotes is a table with a header of two rows and a footer.
const tableWithNotes = "Club,,,\nMember,,Fees,\nID,Name,Paid,Due\n1,Ann,3,4\n\n2,\"B\nb\",5,6\n3,Cid,7,8\n\n,Total,15,18\n\nPrinted today,,,\n\n"

// tables returns the same table in every format that has rows.
func tables(t *testing.T) map[string]string {
	t.Helper()
	var sheetXML strings.Builder
	var records [][]byte
	shared := []string{}
	number := 0
	for _, line := range strings.Split(strings.ReplaceAll(tableWithNotes, "\"B\nb\"", "Bb"), "\n") {
		number++
		if line == "" {
			continue
		}
		fmt.Fprintf(&sheetXML, `<row r="%d">`, number)
		for i, cell := range strings.Split(line, ",") {
			if cell == "" {
				continue
			}
			fmt.Fprintf(&sheetXML, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+i, number, cell)
			records = append(records, xlstest.Shared(uint16(number-1), uint16(i), uint32(len(shared))))
			shared = append(shared, cell)
		}
		sheetXML.WriteString(`</row>`)
	}
	old := xlstest.Book{Version: xlstest.BIFF8, Globals: [][]byte{xlstest.SST(shared...)}, Sheets: []xlstest.Sheet{{Name: "S", Records: records}}}
	return map[string]string{
		"csv":    tableWithNotes,
		"crlf":   strings.ReplaceAll(tableWithNotes, "\n", "\r\n"),
		"utf-16": "\xFF\xFE" + toUTF16Or32(tableWithNotes, binary.LittleEndian, 2),
		"xlsx":   string(xlsxtest.Workbook(sheetXML.String()).Bytes(t)),
		"xls":    string(old.File()),
	}
}

// A header of two rows names each column by both, and a stated footer is skipped: with chunks of
// every size as well as for the whole file, and every line is counted.
func TestMultiRowHeaderAndFooter(t *testing.T) {
	t.Parallel()
	for name, in := range tables(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := detect(in, sheet.Options{HeaderRow: 3, HeaderRows: 2, SkipFooterRows: 2})
			require.NoError(t, err)
			require.Equal(t, []string{"Member ID", "Member Name", "Fees Paid", "Fees Due"}, d.Header)
			require.EqualValues(t, 3, d.HeaderRow)
			require.Equal(t, 2, d.HeaderRows)
			require.EqualValues(t, 9, d.FooterRow)
			rows := readAll(t, in, d)
			require.Len(t, rows, 3)
			require.Equal(t, []string{"7", "3", "Cid", "7", "8"}, rows[2])
			for _, perChunk := range []int{1, 2, 3, 100} {
				cut, counts := readChunked(t, in, d, perChunk)
				require.Equal(t, rows, cut, "%d a chunk", perChunk)
				require.EqualValues(t, 3, counts.Rows)
				require.EqualValues(t, 5, counts.Header, "three lines above the rows and two below")
				require.Equal(t, counts.Lines, counts.Rows+counts.Header+counts.Blank)
			}
		})
	}
}

func TestNDJSONFooter(t *testing.T) {
	t.Parallel()
	in := "{\"a\":1}\n{\"a\":2}\n{\"a\":\"total 3\"}\n"
	d, err := detect(in, sheet.Options{SkipFooterRows: 1})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"1", "1"}, {"2", "2"}}, readAll(t, in, d))
	cut, counts := readChunked(t, in, d, 1)
	require.Equal(t, readAll(t, in, d), cut)
	require.Equal(t, sheet.Counts{Lines: 3, Rows: 2, Header: 1}, counts)
}

func TestFooterOnlyFile(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int64{0: 0, 1: 3, 2: 2, 3: 2, 1000: 2} {
		d, err := detect("a,b\n1,2\n3,4\n", sheet.Options{SkipFooterRows: n})
		require.NoError(t, err)
		require.Equal(t, want, d.FooterRow, n)
	}
	d, err := detect("a,b\n", sheet.Options{SkipFooterRows: 2})
	require.NoError(t, err)
	require.Zero(t, d.FooterRow)
}

func readChunked(t *testing.T, in string, d *sheet.Dialect, perChunk int) (out [][]string, counts sheet.Counts) {
	t.Helper()
	counts, err := reader.Cut(t.Context(), strings.NewReader(in), d, perChunk, sheet.DefaultLimits(), func(_ context.Context, c sheet.Chunk, body []byte) error {
		if body == nil {
			body = []byte(in[c.Offset : c.Offset+c.Length])
		}
		rows, err := reader.OpenChunk(body, d, c, sheet.DefaultLimits())
		if err != nil {
			return err
		}
		out = append(out, collectRows(rows)...)
		return rows.Err()
	})
	require.NoError(t, err)
	return out, counts
}
