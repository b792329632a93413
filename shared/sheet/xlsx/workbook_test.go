package xlsx_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// threeSheets returns a workbook with an empty sheet, a hidden one, a chart and two with data.
func threeSheets() xlsxtest.Parts {
	return xlsxtest.Workbook(xlsxtest.Header).With(xlsxtest.Parts{
		"xl/workbook.xml": `<workbook xmlns="` + xlsxtest.MainNS + `" xmlns:rel="` + xlsxtest.RelNS + `"><sheets>` +
			`<sheet name="Empty" sheetId="1" rel:id="rId1"/><sheet name="Secret" sheetId="7" rel:id="rId2" state="veryHidden"/>` +
			`<sheet name="Chart" sheetId="3" rel:id="rId3"/><sheet name="A &amp; B" sheetId="4" rel:id="rId4"/>` +
			`<sheet name="a &amp; b" sheetId="5" rel:id="rId5"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": xlsxtest.Relationships("worksheet=worksheets/empty.xml", "worksheet=/xl/worksheets/secret.xml",
			"chartsheet=chart.xml", "worksheet=worksheets/../worksheets/B.XML", "worksheet=worksheets/sheet1.xml"),
		"xl/worksheets/empty.xml":  xlsxtest.Worksheet(`<row r="9"><c r="A9" s="1"/></row>`),
		"xl/worksheets/secret.xml": xlsxtest.Worksheet(`<row r="1"><c r="A1"><v>1</v></c></row>`),
		"xl/worksheets/b.xml":      xlsxtest.Worksheet(`<row r="1"><c r="A1"><v>2</v></c></row>`),
	})
}

func TestSheetSelection(t *testing.T) {
	t.Parallel()
	at := func(i int) *int { return &i }
	tests := map[string]struct {
		opt   sheet.Options
		name  string
		index int
		code  problem.Code
	}{
		"first visible with data": {opt: sheet.Options{}, name: "A & B", index: 3},
		"by index":                {opt: sheet.Options{SheetIndex: at(4)}, name: "a & b", index: 4},
		"by name":                 {opt: sheet.Options{SheetName: "a & b"}, name: "a & b", index: 4},
		"by name in another case": {opt: sheet.Options{SheetName: "SECRET"}, name: "Secret", index: 1},
		"name before index":       {opt: sheet.Options{SheetName: "A & B", SheetIndex: at(0)}, name: "A & B", index: 3},
		"unknown name":            {opt: sheet.Options{SheetName: "C"}, code: problem.SheetNotFound},
		"unknown index":           {opt: sheet.Options{SheetIndex: at(5)}, code: problem.SheetNotFound},
		"negative index":          {opt: sheet.Options{SheetIndex: at(-1)}, code: problem.SheetNotFound},
		"an empty one":            {opt: sheet.Options{SheetIndex: at(0)}, code: problem.NoDataSheet},
		"a chart":                 {opt: sheet.Options{SheetIndex: at(2)}, code: problem.NoDataSheet},
		"header in a blank row":   {opt: sheet.Options{HeaderRow: 5}, code: problem.OptionInvalid},
	}
	file := threeSheets().Bytes(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readWith(t, file, tt.opt, sheet.DefaultLimits())
			require.Equal(t, tt.code, problem.CodeOf(got.err), "%v", got.err)
			if tt.code == "" {
				require.Equal(t, tt.name, got.dialect.SheetName)
				require.Equal(t, tt.index, got.dialect.SheetIndex)
			}
		})
	}
}

func TestOpenValidatesDialect(t *testing.T) {
	t.Parallel()
	file := threeSheets().Bytes(t)
	for _, d := range []sheet.Dialect{{SheetIndex: 17}, {SheetIndex: -1}, {SheetName: "gone"}, {SheetName: "Chart"}} {
		_, err := xlsx.Open(context.Background(), bytes.NewReader(file), &d, sheet.DefaultLimits())
		require.Equal(t, problem.SheetNotFound, problem.CodeOf(err))
	}
}

// Prefixes and the namespaces of the strict dialect do not affect the result.
func TestStrictAndTransitional(t *testing.T) {
	t.Parallel()
	const (
		strictMain = "http://purl.oclc.org/ooxml/spreadsheetml/main"
		strictRel  = "http://purl.oclc.org/ooxml/officeDocument/relationships"
	)
	book := xlsxtest.Parts{
		"_rels/.rels": `<p:Relationships xmlns:p="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<p:Relationship Id="a" Type="` + strictRel + `/officeDocument" Target="/book/main.xml"/></p:Relationships>`,
		"book/main.xml": `<x:workbook xmlns:x="` + strictMain + `" xmlns:r="` + strictRel + `"><x:workbookPr/><x:sheets>` +
			`<x:sheet name="S" sheetId="1" r:id="s"/></x:sheets></x:workbook>`,
		"book/_rels/main.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="s" Type="` + strictRel + `/worksheet" Target="s.xml"/>` +
			`<Relationship Id="t" Type="` + strictRel + `/sharedStrings" Target="t.xml"/></Relationships>`,
		"book/s.xml": `<x:worksheet xmlns:x="` + strictMain + `" xmlns="` + strictMain + `"><x:sheetData>` +
			`<x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c></x:row>` +
			`<row r="2"><c r="A2" t="s"><x:v>1</x:v></c></row></x:sheetData></x:worksheet>`,
		"book/t.xml": `<x:sst xmlns:x="` + strictMain + `"><x:si><x:t>head</x:t></x:si><x:si><x:r><x:t>te</x:t></x:r><x:r><x:t>xt</x:t></x:r></x:si></x:sst>`,
	}
	got := read(t, book.Bytes(t), sheet.DefaultLimits())
	require.NoError(t, got.err)
	require.Equal(t, []string{"head"}, got.dialect.Header)
	require.Equal(t, []string{"2: T text"}, got.rows)
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	utf16 := func(s string, big bool) string {
		out := make([]byte, 0, 2*len(s))
		for _, c := range []byte(s) {
			if big {
				out = append(out, 0, c)
			} else {
				out = append(out, c, 0)
			}
		}
		return string(out)
	}
	text := xlsxtest.Worksheet(xlsxtest.Header + `<row r="2"><c r="A2"><v>1</v></c></row>`)
	tests := map[string]struct {
		part string
		code problem.Code
	}{
		"UTF-8 with BOM":            {"\xef\xbb\xbf" + text, ""},
		"UTF-16LE with BOM":         {"\xff\xfe" + utf16(text, false), ""},
		"UTF-16BE with BOM":         {"\xfe\xff" + utf16(text, true), ""},
		"UTF-16BE, no BOM":          {utf16(text, true), ""},
		"another one that is named": {`<?xml version="1.0" encoding="windows-1252"?>` + text[len(`<?xml version="1.0" encoding="UTF-8"?>`):], problem.EncodingInvalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, xlsxtest.Workbook("").With(xlsxtest.Parts{"xl/worksheets/sheet1.xml": tt.part}).Bytes(t), sheet.DefaultLimits())
			require.Equal(t, tt.code, problem.CodeOf(got.err), "%v", got.err)
			if tt.code == "" {
				require.Equal(t, []string{"2: N 1"}, got.rows)
			}
		})
	}
}

func TestUnsupportedFiles(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file []byte
		code problem.Code
	}{
		"empty":        {nil, problem.FileEmpty},
		"one byte":     {[]byte("P"), problem.UnsupportedFormat},
		"text":         {[]byte("a,b\n1,2\n"), problem.UnsupportedFormat},
		"old and cut":  {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on"), problem.FileCorrupt},
		"old":          {xlstest.Simple().File(), problem.UnsupportedFormat},
		"half a ZIP":   {xlsxtest.Workbook(xlsxtest.Header).Bytes(t)[:600], problem.FileCorrupt},
		"docx":         {xlsxtest.Parts{"word/document.xml": "<x/>"}.Bytes(t), problem.UnsupportedFormat},
		"ods":          {xlsxtest.Parts{"mimetype": "x", "content.xml": "<x/>"}.Bytes(t), problem.UnsupportedFormat},
		"xlsb":         {xlsxtest.Parts{"xl/workbook.bin": "x"}.Bytes(t), problem.UnsupportedFormat},
		"another ZIP":  {xlsxtest.Parts{"a.txt": "x"}.Bytes(t), problem.UnsupportedFormat},
		"not workbook": {xlsxtest.Workbook(xlsxtest.Header).With(xlsxtest.Parts{"xl/workbook.xml": "<document/>"}).Bytes(t), problem.UnsupportedFormat},
		"no sheets":    {xlsxtest.Workbook(xlsxtest.Header).With(xlsxtest.Parts{"xl/workbook.xml": "<workbook/>"}).Bytes(t), problem.NoDataSheet},
		"sheet is not": {xlsxtest.Workbook(xlsxtest.Header).With(xlsxtest.Parts{"xl/worksheets/sheet1.xml": "<chart></chart>"}).Bytes(t), problem.FileCorrupt},
		"no rows":      {xlsxtest.Workbook(xlsxtest.Header).With(xlsxtest.Parts{"xl/worksheets/sheet1.xml": "<worksheet/>"}).Bytes(t), problem.NoDataSheet},
		"sheet is gone": {
			xlsxtest.Workbook(xlsxtest.Header).With(xlsxtest.Parts{"xl/_rels/workbook.xml.rels": xlsxtest.Relationships("worksheet=gone.xml")}).Bytes(t), problem.FileCorrupt,
		},
		"sheet elsewhere": {
			xlsxtest.Workbook(xlsxtest.Header).With(xlsxtest.Parts{"xl/_rels/workbook.xml.rels": xlsxtest.Relationships("worksheet=../../../../etc/passwd")}).Bytes(t), problem.FileCorrupt,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, tt.file, sheet.DefaultLimits())
			require.Equal(t, tt.code, problem.CodeOf(got.err), "%v", got.err)
		})
	}
}

// Escapes in a sheet's name, including NUL, become the characters that programs display, in a form
// that a database accepts. Names of cells and areas are not read.
func TestSheetNameWithEscapes(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"a_x0000_b": "a\uFFFDb", "a&#0;b": "a\uFFFDb", "Q1_x002F_2026": "Q1/2026", "_x005F_x0041_": "_x0041_", "_xD83D__xDE00_": "😀", "_xD800_": "_xD800_",
	} {
		book := xlsxtest.Workbook(xlsxtest.Header + `<row r="2"><c r="A2"><v>1</v></c></row>`)
		book["xl/workbook.xml"] = `<workbook xmlns="` + xlsxtest.MainNS + `" xmlns:r="` + xlsxtest.RelNS + `"><sheets>` +
			`<sheet name="First" sheetId="1" r:id="rId2" state="hidden"/><sheet name="` + written + `" sheetId="2" r:id="rId1"/></sheets>` +
			`<definedNames><definedName name="` + written + `">Data!` + written + `</definedName></definedNames></workbook>`
		got := read(t, book.Bytes(t), sheet.DefaultLimits())
		require.NoError(t, got.err, written)
		require.Equal(t, want, got.dialect.SheetName)
		require.Equal(t, []string{"2: N 1"}, got.rows, "the sheet is found by its name")
	}
}
