package reader_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/value"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// A number has the same text in a text field, the same key and the same decimal value in every
// format and for every program that wrote it.
func TestNumbersAreEqualInEveryFormat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value           float64
		xlsx, ndjson    []string // forms that programs write
		text            string
		code            problem.Code // in workbooks
		exact           string       // in NDJSON, which holds decimals
		style, xlsStyle int
	}{
		{value: 1001, xlsx: []string{"1001", "1001.0", "1.001E3", "1.001e+03"}, ndjson: []string{"1001", "1001.0", "1.001e3"}, text: "1001"},
		{value: 0.3, xlsx: []string{"0.3", ".3", "3E-1", "0.29999999999999999", "0.30000000000000004"}, ndjson: []string{"0.3", "0.30", "3e-1"}, text: "0.3"},
		{value: 0, xlsx: []string{"0", "0.0", "-0", "-0.0", "0E0"}, ndjson: []string{"0", "0.0", "-0", "0e5"}, text: "0"},
		{value: 8501015009087, xlsx: []string{"8501015009087", "8.501015009087E12"}, ndjson: []string{"8501015009087", "8.501015009087e12"}, text: "8501015009087"},
		{value: 1234567890123460, xlsx: []string{"1234567890123460", "1.23456789012346E15"}, ndjson: []string{"1234567890123460", "1.23456789012346e15"}, text: "1234567890123460"},
		{
			value: 123456789012346000, xlsx: []string{"123456789012346000", "1.23456789012346E+17", "123456789012346000.0"},
			ndjson: []string{"123456789012346000", "1.23456789012346e17"}, exact: "123456789012346000", code: problem.CellPrecision,
		},
		{value: 412, style: 4, xlsStyle: 3, xlsx: []string{"412", "412.0", "4.12E2", "412.00000000000006"}, text: "00412"},
		{value: -412, style: 4, xlsStyle: 3, xlsx: []string{"-412", "-412.0", "-4.12E2"}, text: "-00412"},
		{value: 412.5, style: 4, xlsStyle: 3, xlsx: []string{"412.5", "4.125E2"}, text: "00413"},
		{value: 123456789, style: 5, xlsStyle: 4, xlsx: []string{"123456789", "1.23456789E8", "123456789.0"}, text: "123-45-6789"},
	}
	for _, tt := range tests {
		files := []string{string(xlstest.Simple(xlstest.Header(), xlstest.Number(1, 0, uint16(tt.xlsStyle), tt.value)).File())}
		for _, written := range tt.xlsx {
			cell := `<row r="2"><c r="A2" s="` + string(rune('0'+tt.style)) + `"><v>` + written + `</v></c></row>`
			files = append(files, string(xlsxtest.Workbook(xlsxtest.Header+cell).Bytes(t)))
		}
		for i, in := range files {
			text, code := textValue(t, in)
			require.Equal(t, tt.code, code, "%v: file %d", tt.value, i)
			require.Equal(t, tt.text, text, "%v: file %d", tt.value, i)
		}
		for _, written := range tt.ndjson {
			text, code := textValue(t, `{"a":`+written+`}`+"\n")
			require.Empty(t, code)
			require.Equal(t, tt.text+tt.exact, text, written)
		}
	}
}

// textValue returns the value of a text field for the first cell.
func textValue(t *testing.T, in string) (string, problem.Code) {
	t.Helper()
	d, err := detect(in, sheet.Options{})
	require.NoError(t, err)
	rows, err := reader.Open(context.Background(), strings.NewReader(in), d, sheet.DefaultLimits())
	require.NoError(t, err)
	require.True(t, rows.Next())
	text, code := value.New(d).Text(rows.Row().Cells[0])
	return string(text), code
}
