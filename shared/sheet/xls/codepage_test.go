package xls_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

// The strings of BIFF5 are in the code page that the workbook states.
func TestCodePages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		page  uint16
		bytes string
		want  string
	}{
		{437, "\x81", "ü"}, {850, "\x9b", "ø"}, {852, "\x9f", "č"}, {866, "\x8c", "М"}, {874, "\xa1", "ก"},
		{932, "\x83\x41", "ア"}, {936, "\xd6\xd0", "中"}, {949, "\xc7\xd1", "한"}, {950, "\xa4\xa4", "中"},
		{1250, "\xe8", "č"}, {1251, "\xcc", "М"}, {1252, "\x80", "€"}, {1253, "\xe1", "α"}, {1254, "\xfe", "ş"},
		{1255, "\xe0", "א"}, {1256, "\xc7", "ا"}, {1257, "\xe8", "č"}, {1258, "\xd0", "Đ"},
		{855, "\xa0", "а"}, {857, "\x8d", "ı"}, {720, "\x9d", "إ"}, {737, "\x98", "α"}, {775, "\xd0", "ą"}, {861, "\x8c", "ð"}, {864, "\xe1", "ﻓ"}, {869, "\xd6", "α"},
		{10000, "\x8a", "ä"}, {32768, "\x8a", "ä"}, {10007, "\x8c", "М"}, {10017, "\xa2", "Ґ"},
		{10001, "\x83\x41", "ア"}, {10002, "\xa4\xa4", "中"}, {10003, "\xc7\xd1", "한"}, {10008, "\xd6\xd0", "中"},
		{10004, "\xc7", "ا"}, {10005, "\xe0", "א"}, {10006, "\xe1", "α"}, {10010, "\xbf", "ș"}, {10021, "\xa1", "ก"},
		{10029, "\xfcadowno\xe6\x8d", "Ładowność"}, {10079, "\xdd", "ð"}, {10081, "\xdd", "ı"}, {10082, "\xe8", "č"},
		{65001, "ź", "ź"}, {1252, "plain", "plain"}, {54321, "plain", "plain"},
		{932, "a\x83", "a\ufffd"}, // half a character
	}
	for _, tt := range tests {
		got := read(t, codePageWorkbook(tt.bytes, xlstest.Record(0x0042, tt.page)), sheet.DefaultLimits())
		require.NoError(t, got.err, "code page %d", tt.page)
		require.Equal(t, []string{"2: T " + tt.want}, got.rows, "code page %d", tt.page)
		require.Empty(t, got.dialect.Warnings)
	}
}

// codePageWorkbook returns a workbook of BIFF5 with a text in A2 and the records that state its
// code page.
func codePageWorkbook(text string, globals ...[]byte) []byte {
	return xlstest.Book{Version: xlstest.BIFF5, Globals: globals, Sheets: []xlstest.Sheet{{Name: "S", Records: [][]byte{
		xlstest.Number(0, 0, 0, 1), xlstest.Record(0x0204, uint16(1), uint16(0), uint16(0), uint16(len(text)), text),
	}}}}.File()
}

// Text in an unknown code page is not decoded with another one.
func TestUnknownCodePages(t *testing.T) {
	t.Parallel()
	for _, page := range []uint16{0, 367, 1361, 54321} {
		got := read(t, codePageWorkbook("\xe9", xlstest.Record(0x0042, page)), sheet.DefaultLimits())
		require.Equal(t, problem.EncodingInvalid, problem.CodeOf(got.err), "code page %d: %v", page, got.err)
	}
}

// A workbook without a code page is decoded with the most common one, with a warning, however far
// down the ambiguous text is.
func TestMissingCodePage(t *testing.T) {
	t.Parallel()
	got := read(t, codePageWorkbook("\xe9"), sheet.DefaultLimits())
	require.NoError(t, got.err)
	require.Equal(t, []string{"2: T é"}, got.rows)
	require.Equal(t, []string{string(problem.EncodingAssumed)}, got.dialect.Warnings)

	got = read(t, codePageWorkbook("plain"), sheet.DefaultLimits())
	require.NoError(t, got.err)
	require.Empty(t, got.dialect.Warnings, "ASCII is equal in every code page")

	var records [][]byte
	for row := range uint16(3000) {
		records = append(records, xlstest.Number(row, 0, 0, 1))
	}
	records = append(records, xlstest.Record(0x0204, uint16(3000), uint16(0), uint16(0), uint16(1), "\xe9"))
	far := xlstest.Book{Version: xlstest.BIFF5, Sheets: []xlstest.Sheet{{Name: "S", Records: records}}}
	got = read(t, far.File(), sheet.DefaultLimits())
	require.NoError(t, got.err)
	require.Equal(t, []string{string(problem.EncodingAssumed)}, got.dialect.Warnings, "the warning also applies to text after the sample")
}
