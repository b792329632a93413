package xls_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xls"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

func TestSheets(t *testing.T) {
	t.Parallel()
	b := xlstest.Book{Version: xlstest.BIFF8, Sheets: []xlstest.Sheet{
		{Name: "Empty", Records: [][]byte{xlstest.Record(0x0201, uint16(0), uint16(0), uint16(0))}},
		{Name: "Hidden", State: 1, Records: [][]byte{xlstest.Number(0, 0, 0, 1)}},
		{Name: "Very", State: 2, Records: [][]byte{xlstest.Number(0, 0, 0, 2)}},
		{Name: "Chart", Kind: 2},
		{Name: "Übersicht ☃", Records: [][]byte{xlstest.Number(0, 0, 0, 3)}},
	}}
	detect := func(opt sheet.Options) (*sheet.Dialect, error) {
		return xls.Detect(context.Background(), bytes.NewReader(b.File()), opt, sheet.DefaultLimits())
	}
	d, err := detect(sheet.Options{})
	require.NoError(t, err)
	require.Equal(t, &sheet.Dialect{
		Format: sheet.XLS, SheetName: "Übersicht ☃", SheetIndex: 4, HeaderRow: 1, Header: []string{"3"},
	}, d)
	d, err = detect(sheet.Options{SheetName: "very"})
	require.NoError(t, err)
	require.Equal(t, 2, d.SheetIndex)
	for index, code := range map[int]problem.Code{0: problem.NoDataSheet, 3: problem.NoDataSheet, 5: problem.SheetNotFound} {
		_, err = detect(sheet.Options{SheetIndex: &index})
		require.Equal(t, code, problem.CodeOf(err))
	}
}

func TestUnsupportedFiles(t *testing.T) {
	t.Parallel()
	stream := func(name string, records ...[]byte) []byte {
		return xlstest.Container(xlstest.Stream{Name: name, Body: join(records...)})
	}
	tests := map[string]struct {
		file []byte
		code problem.Code
	}{
		"empty":               {nil, problem.FileEmpty},
		"text":                {[]byte("a,b\n1,2\n"), problem.UnsupportedFormat},
		"magic only":          {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), problem.FileCorrupt},
		"encrypted xlsx":      {stream("EncryptedPackage"), problem.UnsupportedFormat},
		"text document":       {stream("WordDocument"), problem.UnsupportedFormat},
		"encrypted":           {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 5), xlstest.Record(0x002f, uint16(7), uint32(0))), problem.FileEncrypted},
		"password cut":        {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 5), xlstest.Record(0x002f, uint16(1))), problem.FileCorrupt},
		"BIFF4":               {stream("Book", xlstest.Record(0x0409, uint16(0), uint16(0x10))), problem.UnsupportedFormat},
		"BIFF4 in disguise":   {stream("Book", xlstest.BOF(0x0400, 5)), problem.UnsupportedFormat},
		"unknown version":     {stream("Workbook", xlstest.BOF(0x0700, 5)), problem.UnsupportedFormat},
		"no workbook within":  {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 0x10)), problem.FileCorrupt},
		"version cut":         {stream("Workbook", xlstest.Record(0x0809, uint16(xlstest.BIFF8))), problem.FileCorrupt},
		"something else":      {stream("Workbook", xlstest.Record(0x1234)), problem.FileCorrupt},
		"no end of globals":   {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 5)), problem.FileCorrupt},
		"no sheets":           {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 5), xlstest.EOF()), problem.NoDataSheet},
		"sheet out of place":  {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 5), xlstest.Record(0x0085, uint32(1<<31), byte(0), byte(0), byte(1), xlstest.Chars("S")), xlstest.EOF()), problem.FileCorrupt},
		"sheet without start": {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 5), xlstest.Record(0x0085, uint32(4), byte(0), byte(0), byte(1), xlstest.Chars("S")), xlstest.EOF()), problem.FileCorrupt},
		"sheet cut":           {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 5), xlstest.Record(0x0085, uint32(4)), xlstest.EOF()), problem.FileCorrupt},
		"code page cut":       {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 5), xlstest.Record(0x0042), xlstest.EOF()), problem.FileCorrupt},
		"strings cut":         {stream("Workbook", xlstest.BOF(xlstest.BIFF8, 5), xlstest.Record(0x00fc, uint64(1), uint16(9), byte(0), "abc"), xlstest.EOF()), problem.FileCorrupt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, tt.file, sheet.DefaultLimits())
			require.Equal(t, tt.code, problem.CodeOf(got.err), "%v", got.err)
		})
	}
}

// A file that is truncated anywhere is never read as a shorter one.
func TestTruncatedFile(t *testing.T) {
	t.Parallel()
	b := xlstest.Simple(xlstest.Header(), xlstest.Shared(1, 0, 2), xlstest.Number(1, 1, 0, 1))
	whole := b.Stream()
	for n := 8; n < len(whole)-3; n++ { // shorter files have no signature; the end is padding
		got := read(t, xlstest.Container(xlstest.Stream{Name: "Workbook", Body: whole[:n]}), sheet.DefaultLimits())
		require.Equal(t, problem.FileCorrupt, problem.CodeOf(got.err), "truncated to %d bytes of the stream: %v", n, got.err)
	}
	file := b.File()
	for n := 8; n < len(file)-3000; n++ { // the rest is padding
		got := read(t, file[:n], sheet.DefaultLimits())
		require.Equal(t, problem.FileCorrupt, problem.CodeOf(got.err), "truncated to %d bytes of the file: %v", n, got.err)
	}
}

// A sheet is found by its name even if that contains a character that no database accepts.
func TestSheetNameWithNUL(t *testing.T) {
	t.Parallel()
	b := xlstest.Simple(xlstest.Header(), xlstest.Number(1, 0, 0, 1))
	b.Sheets[0].Name = "Da\x00ta"
	b.Sheets = append([]xlstest.Sheet{{Name: "First", State: 1}}, b.Sheets...)
	got := read(t, b.File(), sheet.DefaultLimits())
	require.NoError(t, got.err)
	require.Equal(t, "Da\uFFFDta", got.dialect.SheetName)
	require.Equal(t, []string{"2: N 1"}, got.rows)
}

// An invalid number format is treated as unknown; the numbers are still read. A warning reports
// that dates among them cannot be identified.
func TestDamagedFormats(t *testing.T) {
	t.Parallel()
	for name, damaged := range map[string][]byte{
		"format record without an id": xlstest.Record(0x041e, byte(1)),
		"format code truncated":       xlstest.Record(0x041e, uint16(170), uint16(99), byte(0), "abc"),
		"cell format truncated":       xlstest.Record(0x00e0, byte(1)),
	} {
		b := xlstest.Simple(xlstest.Header(), xlstest.Number(1, 0, 1, 44197), xlstest.Number(1, 1, 5, 7))
		b.Globals = append(b.Globals, damaged)
		got := read(t, b.File(), sheet.DefaultLimits())
		require.NoError(t, got.err, name)
		require.Equal(t, []string{"2: D 2021-01-01|N 7"}, got.rows, name)
		require.Equal(t, []string{string(problem.NumberFormatUnknown)}, got.dialect.Warnings, name)
	}
}

// Some programs write their own versions below those of Excel.
func TestNonExcelVersions(t *testing.T) {
	t.Parallel()
	for version, text := range map[uint16][]byte{
		0x0580: xlstest.Record(0x0204, uint16(1), uint16(0), uint16(0), uint16(1), "x"),
		0x0610: xlstest.Label(1, 0, "x"),
	} {
		b := xlstest.Book{Version: version, Sheets: []xlstest.Sheet{{Name: "S", Records: [][]byte{xlstest.Number(0, 0, 0, 1), text}}}}
		got := read(t, b.File(), sheet.DefaultLimits())
		require.NoError(t, got.err, "%#x", version)
		require.Equal(t, []string{"2: T x"}, got.rows, "%#x", version)
	}
}
