package xls_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

// The strings of BIFF5 are in the code page that the workbook names.
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
		{10000, "\x8a", "ä"}, {32768, "\x8a", "ä"}, {10007, "\x8c", "М"},
		{0, "\xe9", "é"},          // one that nobody knows is taken for Windows-1252
		{932, "a\x83", "a\ufffd"}, // half a character
	}
	for _, tt := range tests {
		b := xlstest.Book{Version: xlstest.BIFF5, Globals: [][]byte{xlstest.Record(0x0042, tt.page)}, Sheets: []xlstest.Sheet{{Name: "S", Records: [][]byte{
			xlstest.Number(0, 0, 0, 1), xlstest.Record(0x0204, uint16(1), uint16(0), uint16(0), uint16(len(tt.bytes)), tt.bytes),
		}}}}
		got := read(t, b.File(), sheet.DefaultLimits())
		require.NoError(t, got.err)
		require.Equal(t, []string{"2: T " + tt.want}, got.rows, "code page %d", tt.page)
	}
}
