package xlsx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

func TestCells(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		cell string // XML of the cell in A2
		want string
	}{
		"number":                         {`<c r="A2"><v>42</v></c>`, "N 42"},
		"number with a type":             {`<c r="A2" t="n"><v>-1.5E-3</v></c>`, "N -1.5E-3"},
		"number among spaces":            {`<c r="A2"><v> 7 </v></c>`, "N 7"},
		"long integer":                   {`<c r="A2"><v>12345678901234567890123</v></c>`, "N 12345678901234567890123"},
		"leading zeros":                  {`<c r="A2"><v>007</v></c>`, "N 007"},
		"digits beyond the certain":      {`<c r="A2"><v>19.989999999999998</v></c>`, "N 19.99"},
		"tiny, beyond the certain":       {`<c r="A2"><v>1.0999999999999999E-8</v></c>`, "N 1.1E-08"},
		"all digits certain":             {`<c r="A2"><v>0.30000000000000004</v></c>`, "N 0.30000000000000004"},
		"more digits than a float":       {`<c r="A2"><v>1.10000000000000000001</v></c>`, "N 1.10000000000000000001"},
		"no number":                      {`<c r="A2"><v>NaN</v></c>`, "T NaN"},
		"a lone dot":                     {`<c r="A2"><v>.</v></c>`, "T ."},
		"shared string":                  {`<c r="A2" t="s"><v>1</v></c>`, "T one"},
		"inline string":                  {`<c r="A2" t="inlineStr"><is><t>in&amp;line</t></is></c>`, "T in&line"},
		"inline string as a value":       {`<c r="A2" t="inlineStr"><v>value</v></c>`, "T value"},
		"rich inline string":             {`<c r="A2" t="inlineStr"><is><r><rPr><b/></rPr><t>ri</t></r><r><t>ch</t></r></is></c>`, "T rich"},
		"phonetic guide":                 {`<c r="A2" t="inlineStr"><is><t>kanji</t><rPh sb="0" eb="1"><t>guide</t></rPh></is></c>`, "T kanji"},
		"space":                          {"<c r=\"A2\" t=\"inlineStr\"><is><t>\n x y </t></is></c>", "T \n x y "},
		"space preserved":                {`<c r="A2" t="inlineStr"><is><t xml:space="preserve"> x</t></is></c>`, "T  x"},
		"CDATA and comment":              {`<c r="A2" t="inlineStr"><is><t>a<![CDATA[<b>]]><!-- no -->c</t></is></c>`, "T a<b>c"},
		"line ends":                      {"<c r=\"A2\" t=\"inlineStr\"><is><t>a\r\nb\rc</t></is></c>", "T a\nb\nc"},
		"escaped unit":                   {`<c r="A2" t="inlineStr"><is><t>a_x000D_b</t></is></c>`, "T a\rb"},
		"escaped underscore":             {`<c r="A2" t="inlineStr"><is><t>_x005F_x000D_</t></is></c>`, "T _x000D_"},
		"escaped pair":                   {`<c r="A2" t="inlineStr"><is><t>_xD83D__xDE00_</t></is></c>`, "T 😀"},
		"half a pair":                    {`<c r="A2" t="inlineStr"><is><t>_xD83D_</t></is></c>`, "T _xD83D_"},
		"no escape":                      {`<c r="A2" t="inlineStr"><is><t>_x00G0__x12</t></is></c>`, "T _x00G0__x12"},
		"NUL":                            {`<c r="A2" t="inlineStr"><is><t>a_x0000_b</t></is></c>`, "T a\x00b"},
		"formula, cached number":         {`<c r="A2"><f>1+1</f><v>2</v></c>`, "N 2"},
		"formula, cached text":           {`<c r="A2" t="str"><f>"x"</f><v>x</v></c>`, "T x"},
		"formula, not cached":            {`<c r="A2"><f>1+1</f></c>`, "?"},
		"formula, inline string":         {`<c r="A2" t="inlineStr"><f>"x"</f><is><t>x</t></is></c>`, "T x"},
		"formula, shared string":         {`<c r="A2" t="s"><f>"one"</f><v>1</v></c>`, "T one"},
		"formula, no shared string":      {`<c r="A2" t="s"><f>""</f><v/></c>`, "?"},
		"formula, empty boolean":         {`<c r="A2" t="b"><f>TRUE()</f><v/></c>`, "?"},
		"formula, empty value":           {`<c r="A2"><f>1+1</f><v></v></c>`, "?"},
		"true":                           {`<c r="A2" t="b"><v>1</v></c>`, "B true"},
		"false":                          {`<c r="A2" t="b"><v>0</v></c>`, "B false"},
		"no boolean":                     {`<c r="A2" t="b"><v>maybe</v></c>`, "T maybe"},
		"error":                          {`<c r="A2" t="e"><v>#REF!</v></c>`, "F #REF!"},
		"date":                           {`<c r="A2" s="1"><v>44197</v></c>`, "D 2021-01-01"},
		"date and time":                  {`<c r="A2" s="2"><v>44197.4238425926</v></c>`, "D 2021-01-01T10:10:20"},
		"time":                           {`<c r="A2" s="3"><v>0.75</v></c>`, "D 18:00:00"},
		"date of a formula":              {`<c r="A2" s="1"><f>TODAY()</f><v>1</v></c>`, "D 1900-01-01"},
		"before the first day":           {`<c r="A2" s="1"><v>-1</v></c>`, "N -1"},
		"text in a date's format":        {`<c r="A2" s="1" t="inlineStr"><is><t>soon</t></is></c>`, "T soon"},
		"zeros that the format shows":    {`<c r="A2" s="4"><v>412</v></c>`, "N 00412"},
		"and the program a fraction":     {`<c r="A2" s="4"><v>412.0</v></c>`, "N 00412"},
		"as many digits as it shows":     {`<c r="A2" s="4"><v>411001</v></c>`, "N 411001"},
		"a fraction that it hides":       {`<c r="A2" s="4"><v>412.5</v></c>`, "S 412.5 as 00413"},
		"less than nothing":              {`<c r="A2" s="4"><v>-412</v></c>`, "N -00412"},
		"digits with characters between": {`<c r="A2" s="5"><v>123456789</v></c>`, "S 123456789 as 123-45-6789"},
		"the same, from a formula":       {`<c r="A2" s="5"><f>A1</f><v>1.23456789E8</v></c>`, "S 1.23456789E8 as 123-45-6789"},
		"style that does not exist":      {`<c r="A2" s="99"><v>44197</v></c>`, "N 44197"},
		"ISO date":                       {`<c r="A2" t="d"><v>2021-01-01</v></c>`, "D 2021-01-01"},
		"ISO midnight":                   {`<c r="A2" t="d"><v>2021-01-01T00:00:00.000Z</v></c>`, "D 2021-01-01"},
		"ISO instant":                    {`<c r="A2" t="d"><v>2021-01-01T10:10:10.50</v></c>`, "D 2021-01-01T10:10:10.5"},
		"ISO time":                       {`<c r="A2" t="d"><v>10:10:10</v></c>`, "D 10:10:10"},
		"ISO duration":                   {`<c r="A2" t="d"><v>PT10H</v></c>`, "T PT10H"},
		"prefixed":                       {`<x:c xmlns:x="` + xlsxtest.MainNS + `" r="A2"><x:v>5</x:v></x:c>`, "N 5"},
		"other vocabularies":             {`<c r="A2"><y:v xmlns:y="urn:y">5</y:v><v>6</v><extLst><ext><v>7</v></ext></extLst></c>`, "N 6"},
		"attributes in other quotes":     {`<c  t = 's' r='A2' ><v>2</v></c >`, "T two"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, xlsxtest.Workbook(xlsxtest.Header+`<row r="2">`+tt.cell+`</row>`).Bytes(t), sheet.DefaultLimits())
			require.NoError(t, got.err)
			require.Equal(t, []string{"2: " + tt.want}, got.rows)
		})
	}
}

func TestEmptyCellsMakeNoRow(t *testing.T) {
	t.Parallel()
	for _, cell := range []string{
		`<c r="A2" s="1"/>`,
		`<c r="A2" t="s"/>`,
		`<c r="A2" t="s"><v></v></c>`,
		`<c r="A2" t="inlineStr"><is><t></t></is></c>`,
		`<c r="A2" t="str"><f>IF(1,"")</f><v></v></c>`,
		`<c r="A2"><v/></c>`,
		`<c r="A2" t="str"><f>""</f><v></v></c>`,
		`<c r="A2" t="inlineStr"><f>""</f><is/></c>`,
		`<c r="A2" t="inlineStr"><f>""</f><is><t></t></is></c>`,
		`<c r="A2" t="inlineStr"><f>""</f><v></v></c>`,
		`<c r="A2" t="inlineStr"><is/><f>""</f></c>`,
		`<c r="A2" t="str"><v></v><f>""</f></c>`,
	} {
		got := read(t, xlsxtest.Workbook(xlsxtest.Header+`<row r="2">`+cell+`</row>`).Bytes(t), sheet.DefaultLimits())
		require.NoError(t, got.err, cell)
		require.Empty(t, got.rows, cell)
		require.Equal(t, sheet.Counts{Lines: 1, Header: 1}, got.counts, cell)
	}
}

func TestDateSystem1904(t *testing.T) {
	t.Parallel()
	book := xlsxtest.Workbook(xlsxtest.Header + `<row r="2"><c r="A2" s="1"><v>0</v></c><c r="B2" s="1"><v>42735</v></c></row>`)
	book["xl/workbook.xml"] = `<workbook xmlns="` + xlsxtest.MainNS + `" xmlns:r="` + xlsxtest.RelNS + `"><workbookPr date1904="true"/>` +
		`<sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`
	got := read(t, book.Bytes(t), sheet.DefaultLimits())
	require.NoError(t, got.err)
	require.True(t, got.dialect.Date1904)
	require.Equal(t, []string{"2: D 1904-01-01|D 2021-01-01"}, got.rows)
}

func TestSharedStrings(t *testing.T) {
	t.Parallel()
	cells := `<c r="A2" t="s"><v>3</v></c><c r="B2" t="s"><v>1</v></c><c r="C2" t="s"><v>0</v></c><c r="D2" t="s"><v>2</v></c>` +
		`<c r="E2" t="s"><f>""</f><v>1</v></c><c r="F2"><v>7</v></c>` // an empty text is a valid formula value
	book := xlsxtest.Workbook(xlsxtest.Header + `<row r="2">` + cells + `</row>`)
	book["xl/sharedStrings.xml"] = xlsxtest.SharedStrings(
		`<r><rPr><sz val="11"/></rPr><t xml:space="preserve">rich </t></r><r><t>text</t></r><phoneticPr fontId="1"/>`,
		`<t/>`, `<t>ℝ</t><rPh sb="0" eb="1"><t>no</t></rPh>`, `<t>&lt;&#x41;&#66;&gt;</t>`)
	for _, memory := range []int64{64 << 20, 0} { // in memory, and spilled immediately
		lim := sheet.DefaultLimits()
		lim.SharedBytes = memory
		got := read(t, book.Bytes(t), lim)
		require.NoError(t, got.err)
		require.Equal(t, []string{"2: T <AB>|-|T rich text|T ℝ|-|N 7"}, got.rows)
	}
}

// TestCellTooLarge: a cell that is too long is an error of its row.
func TestCellTooLarge(t *testing.T) {
	t.Parallel()
	lim := sheet.DefaultLimits()
	lim.CellBytes = 4
	for _, cell := range []string{
		`<c r="A2" t="s"><v>0</v></c>`,
		`<c r="A2" t="inlineStr"><is><t>12345</t></is></c>`,
		`<c r="A2" t="inlineStr"><is><r><t>123</t></r><r><t>45</t></r></is></c>`,
		`<c r="A2" t="inlineStr"><is><t><![CDATA[12345]]></t></is></c>`,
		`<c r="A2"><v>12345</v></c>`,
		`<c r="A2" t="str"><f>1</f><v>12345</v></c>`,
		`<c r="A2" t="str"><f>1</f><v><![CDATA[_x0041_]]></v></c>`, // the end is not read, so that it is not decoded
		`<c r="A2" t="inlineStr"><is><t><![CDATA[_x0041_]]></t></is></c>`,
		`<c r="A2" t="inlineStr"><is><t>&lt;` + strings.Repeat("é", 1<<15) + `</t></is></c>`,
	} {
		rows := `<row r="2">` + cell + `<c r="B2"><v>1</v></c></row><row r="3"><c r="A3" t="s"><v>1</v></c></row>`
		book := xlsxtest.Workbook(xlsxtest.Header + rows).With(xlsxtest.Parts{"xl/sharedStrings.xml": xlsxtest.SharedStrings("<t>12345</t>", "<t>1234</t>")})
		got := read(t, book.StoredBytes(t), lim)
		require.NoError(t, got.err, cell)
		require.Equal(t, []string{"2:  !FIELD_TOO_LARGE", "3: T 1234"}, got.rows, cell)
	}
	header := xlsxtest.Workbook(`<row r="1"><c r="A1" t="inlineStr"><is><t>12345</t></is></c></row>`)
	require.Equal(t, problem.FieldTooLarge, problem.CodeOf(read(t, header.Bytes(t), lim).err))
}
