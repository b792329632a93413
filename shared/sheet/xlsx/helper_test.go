package xlsx_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
)

const (
	mainNS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relNS  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// parts are the files of a workbook by name.
type parts map[string]string

// with returns a copy with more parts, or others.
func (p parts) with(more parts) parts {
	out := maps.Clone(p)
	maps.Copy(out, more)
	return out
}

// bytes packs the parts, sorted by name.
func (p parts) bytes(tb testing.TB) []byte { return p.pack(tb, zip.Deflate) }

// stored packs the parts as they are, which is faster.
func (p parts) stored(tb testing.TB) []byte { return p.pack(tb, zip.Store) }

func (p parts) pack(tb testing.TB, method uint16) []byte {
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

// workbook is a workbook of one sheet with the rows given as XML.
func workbook(rows string) parts {
	return parts{
		"_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="rId1" Type="` + relNS + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns="` + mainNS + `" xmlns:r="` + relNS + `"><sheets>` +
			`<sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relationships("worksheet=worksheets/sheet1.xml", "sharedStrings=sharedStrings.xml", "styles=styles.xml"),
		"xl/worksheets/sheet1.xml":   worksheet(rows),
		"xl/sharedStrings.xml":       sharedStrings("<t>zero</t>", "<t>one</t>", "<t>two</t>"),
		"xl/styles.xml": `<styleSheet xmlns="` + mainNS + `"><numFmts count="1"><numFmt numFmtId="164" formatCode="[$-409]dd/mm/yyyy\ hh:mm"/></numFmts>` +
			`<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="21"/></cellXfs></styleSheet>`,
	}
}

// relationships lists "kind=target" pairs as rId1, rId2 and so on.
func relationships(pairs ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i, pair := range pairs {
		kind, target, _ := strings.Cut(pair, "=")
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s/%s" Target="%s"/>`, i+1, relNS, kind, target)
	}
	b.WriteString(`</Relationships>`)
	return b.String()
}

func worksheet(rows string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<worksheet xmlns="` + mainNS + `"><dimension ref="A1:A1"/><sheetData>` + rows + `</sheetData><pageMargins left="0.7"/></worksheet>`
}

func sharedStrings(items ...string) string {
	return `<sst xmlns="` + mainNS + `" count="9" uniqueCount="9"><si>` + strings.Join(items, "</si><si>") + `</si></sst>`
}

// header is a first row that names columns, so that all below are data.
const header = `<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>`

// outcome is what reading a workbook gives.
type outcome struct {
	dialect *sheet.Dialect
	rows    []string // "2: T one|N 1|-"
	counts  sheet.Counts
	err     error
}

var kinds = map[sheet.Kind]string{
	sheet.Text: "T", sheet.Number: "N", sheet.Bool: "B", sheet.Date: "D", sheet.Fault: "F", sheet.Formula: "?",
}

func show(r *sheet.Row) string {
	cells := make([]string, len(r.Cells))
	for i, c := range r.Cells {
		cells[i] = "-"
		if c.Kind != sheet.Empty {
			cells[i] = kinds[c.Kind]
			if len(c.Bytes) > 0 {
				cells[i] += " " + string(c.Bytes)
			}
		}
	}
	return fmt.Sprintf("%d: %s", r.Number, strings.Join(cells, "|"))
}

// read takes a workbook through both calls with the header in row 1.
func read(tb testing.TB, file []byte, lim sheet.Limits) outcome {
	tb.Helper()
	return readWith(tb, file, sheet.Options{HeaderRow: 1}, lim)
}

func readWith(tb testing.TB, file []byte, opt sheet.Options, lim sheet.Limits) outcome {
	tb.Helper()
	d, err := xlsx.Detect(context.Background(), bytes.NewReader(file), opt, lim)
	if err != nil {
		return outcome{err: err}
	}
	out := outcome{dialect: d}
	r, err := xlsx.Open(context.Background(), bytes.NewReader(file), d, lim)
	if err != nil {
		out.err = err
		return out
	}
	for r.Next() {
		out.rows = append(out.rows, show(r.Row()))
	}
	out.err, out.counts = r.Err(), r.Counts()
	require.NoError(tb, r.Close())
	return out
}
