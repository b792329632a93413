package xlsx_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// trickyRows contains text that looks like rows: a block may begin where no row begins, and the
// meaning of a row may depend on those before it.
const trickyRows = `<row r="2"><c r="A2" t="inlineStr"><is><t>a &lt;row r="9"&gt;</t></is></c><!-- <row r="3"><c r="A3"><v>0</v></c></row> --></row>` +
	`<!-- <row r="3"><c r="A3"><v>1</v></c></row> --><?x <row r="3"/> ?>` +
	`<row r="3"><c r="A3" t="inlineStr"><is><t><![CDATA[<row r="4"><c r="A4"><v>1</v></c></row>]]></t></is></c></row>` +
	`<row r="5" spans='1:2>' s = "1"><c r="B5" t="s"><v>1</v></c><c r="A5" t="s"><v>2</v></c></row>` +
	`<row><c><v>6</v></c><c t="s"><v>0</v></c></row><row/><row><c><v>8</v></c></row>` +
	`<mc:AlternateContent xmlns:mc="urn:mc"><row r="9"><c r="A9"><v>9</v></c></row></mc:AlternateContent>` +
	`<row r="10" xmlns:z="` + xlsxtest.MainNS + `"><z:c r="A10"><v>10</v></z:c></row><z:row r="11"><z:c r="A11"><z:v>11</z:v></z:c></z:row>` +
	`<rows><row r="12"/></rows><row r="13"><c r="A13" t="s"><v>1</v></c><c r="C13" t="s"><v>3</v></c></row><row r="14"><c r="B14" t="s"><v>3</v></c></row>` +
	"\n <row r=\"20\" xml:space=\"preserve\">\n<c r=\"A20\" t=\"str\"><f>\"&lt;row>\"</f><v>x</v></c><c r=\"B20\"><f/></c></row >" +
	`<row r="21"><c r="A21" t="s"><v>1</v><v>2</v></c></row><row r="22"><c r="A22" t="inlineStr"><is><r><t>ri</t></r><r><t>ch</t></r></is></c></row>`

// requireSameAtAnySplit prefetches a sheet in two blocks, splitting at every step-th byte, and
// returns the result, which must always be the same.
func requireSameAtAnySplit(t *testing.T, rows string, step int) readOutcome {
	t.Helper()
	parts := xlsxtest.Workbook(xlsxtest.Header + rows)
	parts["xl/sharedStrings.xml"] = xlsxtest.SharedStrings("<t>zero</t>", "<t>one</t>", "<t>two</t>", "<t/>")
	file, lim, d := parts.Bytes(t), sheet.DefaultLimits(), &sheet.Dialect{HeaderRow: 1}
	r, err := xlsx.Open(t.Context(), bytes.NewReader(file), d, lim)
	want := readOutcomeOf(t, r, err)
	for end := len(xlsxtest.Header) - step; end < len(xlsxtest.Header)+len(rows)+20; end += step {
		left := end
		r, err := xlsx.OpenPrefetch(t.Context(), bytes.NewReader(file), d, lim, func(text, _ []byte) int {
			size := len(text)
			if left > 0 {
				size = min(size, left)
			}
			left -= size
			return size
		})
		requireSameOutcome(t, want, readOutcomeOf(t, r, err), fmt.Sprintf("the first block ends at %d", end))
	}
	return want
}

func TestPrefetchBlockBoundaries(t *testing.T) {
	t.Parallel()
	got := requireSameAtAnySplit(t, trickyRows, 1)
	require.NoError(t, got.err)
	require.Equal(t, []string{
		`2: T a <row r="9">`, `3: T <row r="4"><c r="A4"><v>1</v></c></row>`, "5: T two|T one", "6: N 6|T zero", "8: N 8",
		"10: N 10", "11: N 11", "13: T one", "20: T x|?", "21: T two", "22: T rich",
	}, got.rows)
}

func TestPrefetchRowsWithoutNumbers(t *testing.T) {
	t.Parallel()
	const row, blank = `<row><c><v>1</v></c><c t="s"><v>1</v></c></row>`, `<row/><row><c s="1"/></row>`
	for name, tt := range map[string]struct {
		rows string
		last string
		ok   bool
	}{
		"none":                      {row + row + blank + row + row, "7: N 1|T one", true},
		"some":                      {row + blank + `<row r="10"><c r="A10"><v>1</v></c></row>` + row + `<row r="13"><c r="A13"><v>1</v></c></row>` + row, "14: N 1|T one", true},
		"repeated row number":       {row + row + `<row r="3"/>`, "3: N 1|T one", false},
		"cell of another row":       {row + row + `<row><c r="A1"/></row>`, "3: N 1|T one", false},
		"cell of its own row":       {row + row + `<row><c r="A4"><v>4</v></c></row>` + row, "5: N 1|T one", true},
		"cell without a row number": {row + row + `<row><c r="A"/></row>`, "3: N 1|T one", false},
		"rows beyond the last":      {`<row r="1048573"/>` + row + row + row + row, "1048576: N 1|T one", false},
		"unknown string":            {row + row + `<row><c t="s"><v>9</v></c></row>`, "3: N 1|T one", false},
		"rows up to the last":       {`<row r="1048573"/>` + row + row + row, "1048576: N 1|T one", true},
		"empty row number":          {row + `<row r=""/>`, "2: N 1|T one", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := requireSameAtAnySplit(t, tt.rows, 3)
			require.Equal(t, tt.ok, got.err == nil, "%v", got.err)
			require.Equal(t, tt.last, got.rows[len(got.rows)-1])
		})
	}
}

// TestPrefetchReportsSameErrors: errors are in the same row, whether at the beginning, in the
// middle or at the end of the prefetched rows.
func TestPrefetchReportsSameErrors(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]string{
		"duplicate row":                             `<row r="3"/>`,
		"earlier row":                               `<row r="2"><c r="A2"><v>1</v></c></row>`,
		"invalid row number":                        `<row r="x"/>`,
		"numbered row beyond the last":              `<row r="1048577"/>`,
		"duplicate cell":                            `<row r="4"><c r="A4"/><c r="A4"/></row>`,
		"cell of another numbered row":              `<row r="4"><c r="A5"/></row>`,
		"column beyond the last":                    `<row r="4"><c r="XFE4"/></row>`,
		"value beyond the column limit":             `<row r="4"><c r="SG4"><v>1</v></c></row>`,
		"string beyond the column limit":            `<row r="4"><c r="SG4" t="s"><v>1</v></c></row>`,
		"string index out of range":                 `<row r="4"><c r="A4" t="s"><v>4</v></c></row>`,
		"string index out of range, duplicate cell": `<row r="4"><c r="A4" t="s"><v>4</v></c><c r="A4"/></row>`,
		"string index out of range, second value":   `<row r="4"><c r="A4" t="s"><v>4</v><v>1</v></c></row>`,
		"string index out of range, inline text":    `<row r="4"><c r="A4" t="s"><v>4</v><is><t>x</t></is></c></row>`,
		"invalid string index":                      `<row r="4"><c r="A4" t="s"><v>x</v></c></row>`,
		"unexpected end tag":                        `</row>`,
		"missing end tag":                           `<row r="4">`,
		"unknown entity":                            `<row r="4"><c r="A4" t="inlineStr"><is><t>&x;</t></is></c></row>`,
		"invalid UTF-8":                             "<row r=\"4\"><c r=\"A4\" t=\"inlineStr\"><is><t>\xff</t></is></c></row>",
		"too many attributes":                       `<row r="4"><c` + strings.Repeat(` s="1"`, 257) + `/></row>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := requireSameAtAnySplit(t, `<row r="2"><c r="A2" t="s"><v>0</v></c></row><row r="3"><c r="A3" t="s"><v>1</v></c></row>`+row+
				`<row r="5"><c r="A5" t="s"><v>2</v></c></row>`, 3)
			require.Error(t, got.err)
			require.Equal(t, []string{"2: T zero", "3: T one"}, got.rows)
		})
	}
	sound := requireSameAtAnySplit(t, `<row r="2"><c r="SG2" t="s"><v>3</v></c></row>`, 1) // an empty text beyond the column limit
	require.NoError(t, sound.err)
	require.Empty(t, sound.rows)
}

// TestPrefetchRealWorkbooks reads the workbooks next to the repository, if they exist, in small
// and in large blocks.
func TestPrefetchRealWorkbooks(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("../../../../shared/corpus", "*", "*.xls[xm]"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the corpus of real workbooks is missing")
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		d, err := xlsx.Detect(t.Context(), bytes.NewReader(file), sheet.Options{}, sheet.DefaultLimits())
		if err != nil {
			continue
		}
		r, err := xlsx.Open(t.Context(), bytes.NewReader(file), d, sheet.DefaultLimits())
		want := readOutcomeOf(t, r, err)
		for _, size := range []int{1009, 1 << 20} {
			requireSamePrefetched(t, file, d, sheet.DefaultLimits(), want, size)
		}
	}
}

// TestPrefetchLongRows: shared strings that were spilled to a file exceed the limit for prefetching
// or the limit of a row.
func TestPrefetchLongRows(t *testing.T) {
	t.Parallel()
	lim := sheet.DefaultLimits()
	lim.SharedBytes = 0
	row := func(number, cells int) string {
		return fmt.Sprintf(`<row r="%d">%s</row>`, number, strings.Repeat(`<c t="s"><v>0</v></c>`, cells))
	}
	parts := xlsxtest.Workbook(xlsxtest.Header + row(2, 1) + row(3, 20) + row(4, 2) + row(5, 140) + row(6, 1))
	parts["xl/sharedStrings.xml"] = xlsxtest.SharedStrings("<t>" + strings.Repeat("long ", 25_000) + "</t>")
	got := read(t, parts.Bytes(t), lim)
	require.ErrorContains(t, got.err, "Row 5 is longer than 16 MiB")
	require.Len(t, got.rows, 3)
}
