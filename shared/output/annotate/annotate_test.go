package annotate_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/output/annotate"
	"github.com/loadbay/loadbay/shared/problem"
)

// marks returns the marks of a list.
func marks(list ...annotate.Mark) annotate.Marks {
	return func(do func(annotate.Mark) error) error {
		for _, m := range list {
			if err := do(m); err != nil {
				return err
			}
		}
		return nil
	}
}

// annotated annotates a sheet of a workbook and opens the result.
func annotated(t *testing.T, file []byte, sheet string, m annotate.Marks) *excelize.File {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, annotate.Workbook(&out, bytes.NewReader(file), sheet, m))
	f, err := excelize.OpenReader(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// styledWorkbook returns a workbook of two sheets with styles, a comment, a formula and merged
// cells.
func styledWorkbook(t *testing.T) []byte {
	t.Helper()
	f := excelize.NewFile()
	money, err := f.NewStyle(&excelize.Style{NumFmt: 4, Font: &excelize.Font{Bold: true, Color: "0000FF"}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FFFF00"}}})
	require.NoError(t, err)
	_, err = f.NewSheet("Data & more")
	require.NoError(t, err)
	for at, v := range map[string]any{"A1": "Name", "B1": "Amount", "C1": "Mail", "A2": "Ada", "B2": 1500.5, "C2": "ada@x", "A3": "Bob <b>", "B3": 7, "A4": "Cy"} {
		require.NoError(t, f.SetCellValue("Data & more", at, v))
	}
	require.NoError(t, f.SetCellFormula("Data & more", "D3", "B2+B3"))
	require.NoError(t, f.SetCellStyle("Data & more", "B2", "B3", money))
	require.NoError(t, f.MergeCell("Data & more", "E1", "F1"))
	require.NoError(t, f.AddComment("Data & more", excelize.Comment{Cell: "B2", Author: "Ann", Text: "Check this"}))
	require.NoError(t, f.AddComment("Data & more", excelize.Comment{Cell: "A4", Author: "Ann", Text: "New"}))
	require.NoError(t, f.SetCellValue("Sheet1", "A1", "cover"))
	b, err := f.WriteToBuffer()
	require.NoError(t, err)
	return b.Bytes()
}

// comments returns the texts of a sheet's comments by cell.
func comments(t *testing.T, f *excelize.File, sheet string) map[string]string {
	t.Helper()
	found, err := f.GetComments(sheet)
	require.NoError(t, err)
	texts := make(map[string]string)
	for _, c := range found {
		text := c.Text
		for _, p := range c.Paragraph {
			text += p.Text
		}
		texts[c.Cell] = text
	}
	return texts
}

func fill(t *testing.T, f *excelize.File, sheet, cell string) (fill string, style *excelize.Style) {
	t.Helper()
	id, err := f.GetCellStyle(sheet, cell)
	require.NoError(t, err)
	style, err = f.GetStyle(id)
	require.NoError(t, err)
	return strings.Join(style.Fill.Color, " "), style
}

// TestOnlyMarkedCellsChange: values, formats, formulas, merged cells, other sheets and
// existing comments are preserved; marked cells keep their format under the new fill.
func TestOnlyMarkedCellsChange(t *testing.T) {
	t.Parallel()
	const sheet = "Data & more"
	f := annotated(t, styledWorkbook(t), sheet, marks(
		annotate.Mark{Row: 2, Column: 1, Text: "Amount: too large"},
		annotate.Mark{Row: 2, Column: 2, Text: "Mail: <not> an address & so on"},
		annotate.Mark{Row: 3, Column: 2, Text: "Mail: missing"},
		annotate.Mark{Row: 4, Column: 27, Text: "far away"},
		annotate.Mark{Row: 9, Column: 0, Text: "in no row"},
	))
	rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	require.Equal(t, []string{"Ada", "1500.5", "ada@x"}, rows[1])
	require.Equal(t, []string{"Bob <b>", "7"}, rows[2][:2])
	formula, err := f.GetCellFormula(sheet, "D3")
	require.NoError(t, err)
	require.Equal(t, "B2+B3", formula)
	merged, err := f.GetMergeCells(sheet)
	require.NoError(t, err)
	require.Len(t, merged, 1)
	cover, err := f.GetCellValue("Sheet1", "A1")
	require.NoError(t, err)
	require.Equal(t, "cover", cover)

	for _, wrong := range []string{"B2", "C2", "C3", "AB4"} {
		color, _ := fill(t, f, sheet, wrong)
		require.Equal(t, "FFC7CE", color, wrong)
	}
	color, style := fill(t, f, sheet, "B2")
	require.Equal(t, "FFC7CE", color)
	require.True(t, style.Font.Bold)
	require.Equal(t, 4, style.NumFmt)
	color, _ = fill(t, f, sheet, "B3")
	require.Equal(t, "FFFF00", color)
	color, _ = fill(t, f, sheet, "A2")
	require.Empty(t, color)

	texts := comments(t, f, sheet)
	require.Equal(t, "New", strings.TrimPrefix(texts["A4"], "Ann: "))
	require.Contains(t, texts["B2"], "Check this")
	require.Contains(t, texts["B2"], "Loadbay: Amount: too large")
	require.Equal(t, "Mail: <not> an address & so on", texts["C2"])
	require.Equal(t, "far away", texts["AB4"])

	// The result can still be edited, comments included.
	require.NoError(t, f.AddComment(sheet, excelize.Comment{Cell: "A1", Author: "Ann", Text: "later"}))
	_, err = f.WriteToBuffer()
	require.NoError(t, err)
}

// TestOtherPartsAreCopiedUnchanged compares them byte for byte.
func TestOtherPartsAreCopiedUnchanged(t *testing.T) {
	t.Parallel()
	file := styledWorkbook(t)
	var out bytes.Buffer
	require.NoError(t, annotate.Workbook(&out, bytes.NewReader(file), "Sheet1", marks(annotate.Mark{Row: 1, Column: 0, Text: "wrong"})))
	before, after := partsOf(t, file), partsOf(t, out.Bytes())
	for name, text := range before {
		if name == "xl/worksheets/sheet1.xml" || name == "xl/styles.xml" || name == "[Content_Types].xml" {
			require.NotEqual(t, text, after[name], name)
			continue
		}
		require.Equal(t, text, after[name], name)
	}
	require.Len(t, after, len(before)+3, "three parts are added: the sheet's relations, its comments and their drawing")
}

func partsOf(t *testing.T, file []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	parts := make(map[string]string)
	for _, f := range z.File {
		in, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		parts[f.Name] = string(text)
	}
	return parts
}

// zipParts returns a workbook of those parts.
func zipParts(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range parts {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, text)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return out.Bytes()
}

// TestMinimalWorkbook: prefixes everywhere, no styles, cells and rows without references, an
// empty row.
func TestMinimalWorkbook(t *testing.T) {
	t.Parallel()
	const main = `xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	file := zipParts(t, map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/s.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
		"_rels/.rels":                `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<x:workbook ` + main + ` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><x:sheets><x:sheet name="S" sheetId="1" r:id="r1"/></x:sheets></x:workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="s.xml"/></Relationships>`,
		"xl/s.xml":                   `<x:worksheet ` + main + `><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c><x:v>2</x:v></x:c></x:row><x:row/></x:sheetData><x:extLst/></x:worksheet>`,
	})
	var out bytes.Buffer
	require.NoError(t, annotate.Workbook(&out, bytes.NewReader(file), "", marks(
		annotate.Mark{Row: 1, Column: 1, Text: "two"}, annotate.Mark{Row: 1, Column: 3, Text: "four"}, annotate.Mark{Row: 2, Column: 0, Text: "empty"})))
	parts := partsOf(t, out.Bytes())
	require.Regexp(t, `^<x:worksheet [^>]*><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c s="1"><x:v>2</x:v></x:c><x:c r="D1" s="1"/></x:row>`+
		`<x:row><x:c r="A2" s="1"/></x:row></x:sheetData><x:legacyDrawing xmlns:r="[^"]*" r:id="rIdLoadbay2"/><x:extLst/></x:worksheet>$`, parts["xl/s.xml"])
	require.Contains(t, parts["xl/_rels/workbook.xml.rels"], `Target="/xl/styles.xml"/></Relationships>`)
	require.Regexp(t, `<Types [^>]*><Default Extension="vml"`, parts["[Content_Types].xml"])
}

// TestManyMarksAreStreamed checks that memory use is low.
func TestManyMarksAreStreamed(t *testing.T) {
	t.Parallel()
	const rows = 30_000
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	require.NoError(t, err)
	for i := range rows {
		require.NoError(t, w.SetRow(fmt.Sprintf("A%d", i+1), []any{i, "text"}))
	}
	require.NoError(t, w.Flush())
	file, err := f.WriteToBuffer()
	require.NoError(t, err)
	all := func(do func(annotate.Mark) error) error {
		for i := range int64(rows) {
			if err := do(annotate.Mark{Row: i + 1, Column: 1, Text: "wrong"}); err != nil {
				return err
			}
		}
		return nil
	}
	g := annotated(t, file.Bytes(), "Sheet1", all)
	color, _ := fill(t, g, "Sheet1", fmt.Sprintf("B%d", rows))
	require.Equal(t, "FFC7CE", color)
	require.Len(t, comments(t, g, "Sheet1"), annotate.MaxComments)
}

func TestInvalidWorkbookIsRejected(t *testing.T) {
	t.Parallel()
	err := annotate.Workbook(io.Discard, bytes.NewReader([]byte("a,b\n1,2\n")), "", marks())
	require.Equal(t, problem.UnsupportedFormat, problem.CodeOf(err))
	err = annotate.Workbook(io.Discard, bytes.NewReader(styledWorkbook(t)), "No such sheet", marks())
	require.Equal(t, problem.UnsupportedFormat, problem.CodeOf(err))
	lost := errors.New("the database is gone")
	err = annotate.Workbook(io.Discard, bytes.NewReader(styledWorkbook(t)), "Sheet1", func(func(annotate.Mark) error) error { return lost })
	require.ErrorIs(t, err, lost)
}
