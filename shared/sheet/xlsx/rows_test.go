package xlsx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

func TestRows(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rows   string // after the xlsxtest.Header
		want   []string
		counts sheet.Counts
	}{
		"placed by reference": {
			`<row r="2"><c r="B2"><v>2</v></c></row>`,
			[]string{"2: -|N 2"}, sheet.Counts{Lines: 2, Rows: 1, Header: 1},
		},
		"descending": {
			`<row r="2"><c r="C2"><v>3</v></c><c r="B2"><v>2</v></c><c r="A2"><v>1</v></c></row>`,
			[]string{"2: N 1|N 2|N 3"}, sheet.Counts{Lines: 2, Rows: 1, Header: 1},
		},
		"without references": {
			`<row><c><v>1</v></c><c><v>2</v></c></row><row><c r="B3"><v>3</v></c><c><v>4</v></c></row>`,
			[]string{"2: N 1|N 2", "3: -|N 3|N 4"}, sheet.Counts{Lines: 3, Rows: 2, Header: 1},
		},
		"gaps and blank rows count": {
			`<row r="3"/><row r="4"><c r="A4" s="1"/></row><row r="7"><c r="A7"><v>1</v></c></row>`,
			[]string{"7: N 1"}, sheet.Counts{Lines: 7, Rows: 1, Blank: 5, Header: 1},
		},
		"blank rows at the end do not": {
			`<row r="2"><c r="A2"><v>1</v></c></row><row r="3"><c r="A3" s="1"/></row><row r="1048576"/>`,
			[]string{"2: N 1"}, sheet.Counts{Lines: 2, Rows: 1, Header: 1},
		},
		"nothing of the row before is left": {
			`<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c><c r="C2"><v>3</v></c></row><row r="3"><c r="C3"><v>4</v></c></row>`,
			[]string{"2: N 1|N 2|N 3", "3: -|-|N 4"}, sheet.Counts{Lines: 3, Rows: 2, Header: 1},
		},
		"hidden rows are read": {
			`<row r="2" hidden="1"><c r="A2"><v>1</v></c></row>`,
			[]string{"2: N 1"}, sheet.Counts{Lines: 2, Rows: 1, Header: 1, Layout: sheet.Layout{HiddenRows: 1, FirstHidden: 2}},
		},
		"other elements are passed over": {
			`<mc:AlternateContent xmlns:mc="urn:mc"><row r="2"><c r="A2"><v>1</v></c></row></mc:AlternateContent><!-- x --><?y z?><row r="2"><c r="A2"><v>2</v></c></row>`,
			[]string{"2: N 2"}, sheet.Counts{Lines: 2, Rows: 1, Header: 1},
		},
		"the last cell of all": {
			`<row r="1048576"><c r="SF1048576"><v>1</v></c><c r="XFD1048576"/></row>`,
			[]string{"1048576: " + dashes(499) + "N 1"},
			sheet.Counts{Lines: 1_048_576, Rows: 1, Blank: 1_048_574, Header: 1},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, xlsxtest.Workbook(xlsxtest.Header+tt.rows).Bytes(t), sheet.DefaultLimits())
			require.NoError(t, got.err)
			require.Equal(t, tt.want, got.rows)
			require.Equal(t, tt.counts, got.counts)
		})
	}
}

func dashes(n int) string {
	out := make([]byte, 0, 2*n)
	for range n {
		out = append(out, "-|"...)
	}
	return string(out)
}

func TestDamagedRows(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rows string
		code problem.Code
	}{
		"row twice":                {`<row r="2"><c r="A2"><v>1</v></c></row><row r="2"/>`, problem.FileCorrupt},
		"rows descending":          {`<row r="3"/><row r="2"/>`, problem.FileCorrupt},
		"row zero":                 {`<row r="0"/>`, problem.FileCorrupt},
		"row negative":             {`<row r="-1"/>`, problem.FileCorrupt},
		"row absurd":               {`<row r="1048577"/>`, problem.FileCorrupt},
		"row beyond any number":    {`<row r="99999999999999999999999999"/>`, problem.FileCorrupt},
		"row after the last":       {`<row r="1048576"/><row/>`, problem.FileCorrupt},
		"cell twice":               {`<row r="2"><c r="B2"><v>1</v></c><c r="A2"/><c r="B2"><v>1</v></c></row>`, problem.FileCorrupt},
		"cell of another row":      {`<row r="2"><c r="A3"><v>1</v></c></row>`, problem.FileCorrupt},
		"cell without a column":    {`<row r="2"><c r="2"><v>1</v></c></row>`, problem.FileCorrupt},
		"cell beyond the last":     {`<row r="2"><c r="XFE2"><v>1</v></c></row>`, problem.FileCorrupt},
		"cell absurd":              {`<row r="2"><c r="ZZZZZZZZZZZZZZZZZZ2"><v>1</v></c></row>`, problem.FileCorrupt},
		"value beyond the columns": {`<row r="2"><c r="SG2"><v>1</v></c></row>`, problem.TooManyColumns},
		"string index too large":   {`<row r="2"><c r="A2" t="s"><v>3</v></c></row>`, problem.FileCorrupt},
		"string index negative":    {`<row r="2"><c r="A2" t="s"><v>-1</v></c></row>`, problem.FileCorrupt},
		"string index no number":   {`<row r="2"><c r="A2" t="s"><v>x</v></c></row>`, problem.FileCorrupt},
		"end tag of another":       {`<row r="2"></c>`, problem.FileCorrupt},
		"attribute without quotes": {`<row r=2/>`, problem.FileCorrupt},
		"attributes that touch":    {`<row r="2"s="1"/>`, problem.FileCorrupt},
		"a tag in an attribute":    {`<row r="2"><c t="0><v>0</v></c></row>`, problem.FileCorrupt},
		"unknown entity":           {`<row r="2"><c r="A2" t="inlineStr"><is><t>&x;</t></is></c></row>`, problem.FileUnsafeXML},
		"reference to no character": {
			`<row r="2"><c r="A2" t="inlineStr"><is><t>&#x110000;</t></is></c></row>`, problem.FileCorrupt,
		},
		"invalid UTF-8": {"<row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>\xff</t></is></c></row>", problem.EncodingInvalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, xlsxtest.Workbook(xlsxtest.Header+tt.rows).Bytes(t), sheet.DefaultLimits())
			require.Equal(t, tt.code, problem.CodeOf(got.err), "%v", got.err)
		})
	}
}

// A sheet that is truncated anywhere is never read as a shorter one.
func TestTruncatedSheet(t *testing.T) {
	t.Parallel()
	whole := xlsxtest.Worksheet(xlsxtest.Header + `<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" t="inlineStr"><is><t>&amp;x</t></is></c></row>`)
	for n := range len(whole) {
		book := xlsxtest.Workbook("").With(xlsxtest.Parts{"xl/worksheets/sheet1.xml": whole[:n]})
		got := read(t, book.Bytes(t), sheet.DefaultLimits())
		require.Equal(t, problem.FileCorrupt, problem.CodeOf(got.err), "%d bytes: %v", n, got.err)
	}
}

func TestUnsafeXML(t *testing.T) {
	t.Parallel()
	const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>`
	for part, text := range xlsxtest.Workbook(xlsxtest.Header) {
		got := read(t, xlsxtest.Workbook(xlsxtest.Header+`<row r="2"><c r="A2" t="s"><v>0</v></c></row>`).With(xlsxtest.Parts{part: bomb + text}).Bytes(t), sheet.DefaultLimits())
		require.Equal(t, problem.FileUnsafeXML, problem.CodeOf(got.err), part)
	}
}
