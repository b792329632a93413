// Package xlsxtest writes small .xlsx files for tests, part by part, so that any part can be
// invalid.
//
// Tested by shared/sheet/xlsx: reading the files that it writes.
package xlsxtest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The namespaces of workbooks and of relationships between their parts.
const (
	MainNS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	RelNS  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// Header is a first row with two column names, a and b, so that all rows below are data.
const Header = `<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>`

// Parts are the files of a workbook by name.
type Parts map[string]string

// With returns a copy with additional or replaced parts.
func (p Parts) With(more Parts) Parts {
	out := maps.Clone(p)
	maps.Copy(out, more)
	return out
}

// Bytes packs the parts, sorted by name.
func (p Parts) Bytes(tb testing.TB) []byte {
	tb.Helper()
	return p.pack(tb, zip.Deflate)
}

// StoredBytes packs the parts without compression, which is faster.
func (p Parts) StoredBytes(tb testing.TB) []byte {
	tb.Helper()
	return p.pack(tb, zip.Store)
}

func (p Parts) pack(tb testing.TB, method uint16) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		require.NoError(tb, err)
		_, err = f.Write([]byte(p[name]))
		require.NoError(tb, err)
	}
	require.NoError(tb, w.Close())
	return out.Bytes()
}

// Workbook returns a workbook of one sheet with the rows given as XML, the shared strings zero, one
// and two, and the cell formats 0 (General), 1 (a date), 2 (a date with a time), 3 (a time), 4
// (five digits) and 5 (123-45-6789).
func Workbook(rows string) Parts {
	return Parts{
		"_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="rId1" Type="` + RelNS + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns="` + MainNS + `" xmlns:r="` + RelNS + `"><sheets>` +
			`<sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": Relationships("worksheet=worksheets/sheet1.xml", "sharedStrings=sharedStrings.xml", "styles=styles.xml"),
		"xl/worksheets/sheet1.xml":   Worksheet(rows),
		"xl/sharedStrings.xml":       SharedStrings("<t>zero</t>", "<t>one</t>", "<t>two</t>"),
		"xl/styles.xml": `<styleSheet xmlns="` + MainNS + `"><numFmts count="3"><numFmt numFmtId="164" formatCode="[$-409]dd/mm/yyyy\ hh:mm"/><numFmt numFmtId="165" formatCode="00000"/><numFmt numFmtId="166" formatCode="000\-00\-0000"/></numFmts>` +
			`<cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="21"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>`,
	}
}

// Relationships lists "kind=target" pairs as rId1, rId2 and so on.
func Relationships(pairs ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i, pair := range pairs {
		kind, target, _ := strings.Cut(pair, "=")
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s/%s" Target="%s"/>`, i+1, RelNS, kind, target)
	}
	b.WriteString(`</Relationships>`)
	return b.String()
}

// Worksheet returns a sheet's part with the rows given as XML.
func Worksheet(rows string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<worksheet xmlns="` + MainNS + `"><dimension ref="A1:A1"/><sheetData>` + rows + `</sheetData><pageMargins left="0.7"/></worksheet>`
}

// SharedStrings returns the part of shared strings, with the items given as XML.
func SharedStrings(items ...string) string {
	return `<sst xmlns="` + MainNS + `" count="9" uniqueCount="9"><si>` + strings.Join(items, "</si><si>") + `</si></sst>`
}
