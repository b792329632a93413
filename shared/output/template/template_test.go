package template_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/output/template"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

var lookup = &entity.Lookup{}

func declaration() *entity.Declaration {
	return &entity.Declaration{
		Name: "MEMBER", Resource: "members", Title: "Members",
		Context: &entity.Context{Title: "membership period"},
		Fields: []entity.Field{
			{Name: "NAME", Title: "Name", Required: true, MaxLength: 100},
			{Name: "PHONE", Title: "Phone"},
			{Name: "GENDER", Title: "Gender", Kind: entity.Enum, Enum: []string{"FEMALE", "MALE"}},
			{Name: "BORN", Title: "Born on", Kind: entity.Date},
			{Name: "TYPE", Title: "Type", Kind: entity.Reference, Required: true, Lookup: lookup},
			{Name: "ACTIVE", Title: "Active", Kind: entity.Boolean},
			{Name: "FEE", Title: "Fee", Kind: entity.Decimal, Min: "0", Max: "100000"},
		},
	}
}

func write(t *testing.T, d *entity.Declaration, lists map[string][]string) (*excelize.File, []byte) {
	t.Helper()
	return writeIn(t, translation.English, d, lists)
}

func writeIn(t *testing.T, l translation.Language, d *entity.Declaration, lists map[string][]string) (*excelize.File, []byte) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, template.Write(&out, l, d, lists))
	f, err := excelize.OpenReader(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f, out.Bytes()
}

func cell(t *testing.T, f *excelize.File, sheet, at string) string {
	t.Helper()
	v, err := f.GetCellValue(sheet, at)
	require.NoError(t, err)
	return v
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	f, _ := write(t, declaration(), map[string][]string{"TYPE": {"Senior", "Junior"}})
	require.Equal(t, []string{"Members", "Instructions", "Lists"}, f.GetSheetList())
	visible, err := f.GetSheetVisible("Lists")
	require.NoError(t, err)
	require.False(t, visible)

	rows, err := f.GetRows("Members")
	require.NoError(t, err)
	require.Equal(t, [][]string{{"Name *", "Phone", "Gender", "Born on", "Type *", "Active", "Fee"}}, rows)

	lists, err := f.GetRows("Lists")
	require.NoError(t, err)
	require.Equal(t, [][]string{{"", "", "FEMALE", "", "Senior", "yes"}, {"", "", "MALE", "", "Junior", "no"}}, lists)

	validations, err := f.GetDataValidations("Members")
	require.NoError(t, err)
	got := map[string]string{}
	for _, v := range validations {
		require.NotEmpty(t, *v.Prompt)
		got[v.Sqref] = v.Formula1
	}
	require.Equal(t, map[string]string{
		"A2:A1048576": "", "B2:B1048576": "", "C2:C1048576": "Lists!$C$1:$C$2", "D2:D1048576": "",
		"E2:E1048576": "Lists!$E$1:$E$2", "F2:F1048576": "Lists!$F$1:$F$2", "G2:G1048576": "",
	}, got)
}

func TestInstructionsExplainEveryColumn(t *testing.T) {
	t.Parallel()
	many := strings.Split(strings.Repeat("x,", 30)+"x", ",")
	f, _ := write(t, declaration(), map[string][]string{"TYPE": many})
	rows, err := f.GetRows("Instructions")
	require.NoError(t, err)
	require.Equal(t, []string{"Members"}, rows[0])
	require.Contains(t, rows[3][0], "one membership period")
	require.Equal(t, [][]string{
		{"Column", "Required", "Allowed values"},
		{"Name", "yes", "Text. Up to 100 characters."},
		{"Phone", "no", "Text."},
		{"Gender", "no", "One of FEMALE, MALE."},
		{"Born on", "no", "A date, such as 2026-01-31."},
		{"Type", "yes", "The name of an existing entry. Choose from a list of 31."},
		{"Active", "no", "Yes or no."},
		{"Fee", "no", "A number. From 0 to 100000."},
	}, rows[len(rows)-8:])
}

// A name entered by a person must not become a formula, not even after the sheet was saved
// as CSV.
func TestNamesAreEscapedAgainstFormulas(t *testing.T) {
	t.Parallel()
	d := declaration()
	d.Title = "=1+1 [x]/y: a title that is far too long for a sheet"
	names := []string{`=HYPERLINK("http://evil","x")`, "+27", "-5", "@SUM(A1)", "\tx", "\rx", `a "quoted", & <b>`, "'=x"}
	f, _ := write(t, d, map[string][]string{"TYPE": names})
	require.Equal(t, "=1+1  x  y  a title that is far", f.GetSheetList()[0])
	var got []string
	for row := range names {
		at, err := excelize.CoordinatesToCellName(5, row+1)
		require.NoError(t, err)
		formula, err := f.GetCellFormula("Lists", at)
		require.NoError(t, err)
		require.Empty(t, formula)
		got = append(got, cell(t, f, "Lists", at))
	}
	require.Equal(t, []string{`'=HYPERLINK("http://evil","x")`, "'+27", "'-5", "'@SUM(A1)", "'\tx", "'\rx", `a "quoted", & <b>`, "''=x"}, got)
	require.Equal(t, "'=1+1 [x]/y: a title that is far too long for a sheet", cell(t, f, "Instructions", "A1"))
}

// source is a workbook in memory.
type source struct{ *bytes.Reader }

// The template of any type, in any language, is imported without questions.
func TestEveryTemplateImportsWithoutQuestions(t *testing.T) {
	t.Parallel()
	for _, typ := range catalog.New().Types() {
		for _, l := range translation.Languages() {
			d := typ.Declaration()
			t.Run(d.Name+" "+string(l), func(t *testing.T) {
				t.Parallel()
				importWithoutQuestions(t, l, d)
			})
		}
	}
}

func importWithoutQuestions(t *testing.T, l translation.Language, d *entity.Declaration) {
	t.Helper()
	f, empty := writeIn(t, l, d, nil)
	header := detect(t, empty).Header
	require.Len(t, header, len(d.Fields), "an empty template contains only its header")

	require.NoError(t, f.SetCellStr(f.GetSheetList()[0], "A2", "x"))
	var filled bytes.Buffer
	require.NoError(t, f.Write(&filled))
	dialect := detect(t, filled.Bytes())
	require.Equal(t, header, dialect.Header)
	require.Equal(t, int64(1), dialect.HeaderRow)

	dictionary := mapping.Dictionary{Subjects: d.Subjects}
	columns := make([]mapping.Column, len(header))
	for i, field := range d.Fields {
		dictionary.Targets = append(dictionary.Targets, mapping.Target{Name: field.Name, Title: field.Title, Aliases: slices.Concat(field.Aliases, field.TranslatedAliases)})
		columns[i] = mapping.Column{Index: i, Header: header[i]}
	}
	matcher, err := mapping.New(dictionary)
	require.NoError(t, err)
	for i, m := range matcher.Match(columns) {
		require.Equal(t, d.Fields[i].Name, m.Target, "header %q", header[i])
		require.Equal(t, mapping.AutoMatched, m.Status)
	}
}

func detect(t *testing.T, file []byte) *sheet.Dialect {
	t.Helper()
	d, err := reader.Detect(t.Context(), source{bytes.NewReader(file)}, sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	return d
}

func TestNoChoicesNoListsSheet(t *testing.T) {
	t.Parallel()
	f, _ := write(t, &entity.Declaration{Name: "X", Title: "X", Fields: []entity.Field{{Name: "A", Title: "A"}}}, nil)
	require.Equal(t, []string{"X", "Instructions"}, f.GetSheetList())
}
