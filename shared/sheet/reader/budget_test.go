package reader_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// repeated returns a workbook of a few kilobytes with one text of 131,000 bytes in many cells.
func repeated(t *testing.T, rows, columns int) []byte {
	t.Helper()
	header, row := "<row>", "<row>"
	for c := range columns {
		header += fmt.Sprintf(`<c t="inlineStr"><is><t>c%d</t></is></c>`, c)
		row += `<c t="s"><v>0</v></c>`
	}
	parts := xlsxtest.Workbook(header + "</row>" + strings.Repeat(row+"</row>", rows))
	parts["xl/sharedStrings.xml"] = xlsxtest.SharedStrings("<t>" + strings.Repeat("x", 131_000) + "</t>")
	return parts.Bytes(t)
}

// repeatedXLS returns the same in the older format, with the longest text that its records allow.
func repeatedXLS(rows, columns uint16) []byte {
	var records [][]byte
	for c := range columns {
		records = append(records, xlstest.Label(0, c, fmt.Sprintf("c%d", c)))
	}
	for r := range rows {
		for c := range columns {
			records = append(records, xlstest.Shared(r+1, c, 0))
		}
	}
	book := xlstest.Simple(records...)
	book.Globals[len(book.Globals)-1] = xlstest.SST(strings.Repeat("x", 4000))
	return book.File()
}

// TestRepeatedStringsAreBudgeted cuts workbooks that repeat one text in all rows.
func TestRepeatedStringsAreBudgeted(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"xlsx": repeated(t, 30, 122), "xls": repeatedXLS(1500, 20)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lim := sheet.DefaultLimits()
			d, err := reader.Detect(t.Context(), bytes.NewReader(file), sheet.Options{}, lim)
			require.NoError(t, err)
			emitted := 0
			_, err = reader.Cut(t.Context(), bytes.NewReader(file), d, 5000, lim, func(_ context.Context, _ sheet.Chunk, body []byte) error {
				emitted += len(body)
				return nil
			})
			require.Equal(t, problem.FileTooCompressed, problem.CodeOf(err), "%d bytes expanded to %d", len(file), emitted)
			require.LessOrEqual(t, int64(emitted), lim.Budget(int64(len(file))))
		})
	}
}

// TestNDJSONCutStaysInBudget: rows of NDJSON without any of the header's keys still have a cell
// for every column.
func TestNDJSONCutStaysInBudget(t *testing.T) {
	t.Parallel()
	var keys []string
	for c := range 500 {
		keys = append(keys, fmt.Sprintf(`"k%d":1`, c))
	}
	file := toUTF16Or32("\uFEFF{"+strings.Join(keys, ",")+"}\n"+strings.Repeat(`{"k1":1}`+"\n", 200_000), binary.LittleEndian, 2)
	lim := sheet.DefaultLimits()
	lim.Ratio = 10
	d, err := reader.Detect(t.Context(), strings.NewReader(file), sheet.Options{}, lim)
	require.NoError(t, err)
	none := func(context.Context, sheet.Chunk, []byte) error { return nil }
	_, err = reader.Cut(t.Context(), strings.NewReader(file), d, 5000, lim, none)
	require.Equal(t, problem.FileTooCompressed, problem.CodeOf(err))
	_, err = reader.Cut(t.Context(), strings.NewReader(file), d, 5000, sheet.DefaultLimits(), none)
	require.NoError(t, err)
}

func TestBudget(t *testing.T) {
	t.Parallel()
	lim := sheet.DefaultLimits()
	require.EqualValues(t, 64<<20, lim.Budget(3000), "a small workbook may have a note in every row")
	require.EqualValues(t, 1000<<20, lim.Budget(10<<20), "a hundred times the file size")
	require.EqualValues(t, 2<<30, lim.Budget(500<<20), "at most the limit for decompressed data")
}
