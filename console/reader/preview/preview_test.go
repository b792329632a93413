package preview_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/console/reader/preview"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/rowview"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// people has a name and an e-mail address.
var people = preview.Type{Fields: []preview.Field{
	{Name: "NAME", Column: "name", Title: "Name", Kind: "text", Required: true, Aliases: []string{"Full name"}},
	{Name: "EMAIL", Column: "email", Title: "Email", Kind: "email", Required: true},
	{Name: "ROLE", Column: "role", Title: "Role", Kind: "text"},
}}

func readPreview(t *testing.T, name, text string, of *preview.Type) (*preview.Result, error) {
	t.Helper()
	return preview.Read(t.Context(), bytes.NewReader([]byte(text)), name, of, sheet.DefaultLimits())
}

func TestPreviewShowsDialect(t *testing.T) {
	t.Parallel()
	h, err := readPreview(t, "members.csv", "Our members;;\nFull name;E-mail;Wage\nAda;ada@example.org;1\n"+strings.Repeat("Bob;bob@example.org;2\n", 20), &people)
	require.NoError(t, err)
	require.Equal(t, ";", h.Detected.Delimiter)
	require.Equal(t, int64(2), h.Detected.HeaderRow)
	require.Equal(t, []preview.Column{{Header: "Full name", Field: "NAME"}, {Header: "E-mail", Field: "EMAIL"}, {Header: "Wage"}}, h.Columns)
	require.Nil(t, h.Missing)
	require.Len(t, h.Rows, 8)
	require.True(t, h.More)
	require.Equal(t, []rowview.RowPart{rowview.PartAbove, rowview.PartHeader, rowview.PartData}, []rowview.RowPart{h.Rows[0].Part, h.Rows[1].Part, h.Rows[2].Part})
}

// A cover sheet without the columns of the type is not shown, because the import reads the sheet behind it.
func TestPreviewShowsSheetBehindCover(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	write := func(name string, rows ...[]any) {
		_, err := book.NewSheet(name)
		require.NoError(t, err)
		for i, row := range rows {
			require.NoError(t, book.SetSheetRow(name, fmt.Sprintf("A%d", i+1), &row))
		}
	}
	write("Sheet1", []any{"Report", "Month"}, []any{"Members", "October"})
	write("October", []any{"Full name", "Email"}, []any{"Ada", "ada@example.org"}, []any{"Bob", "bob@example.org"})
	write("November", []any{"Full name", "Email"}, []any{"Cid", "cid@example.org"}, []any{"Dan", "dan@example.org"})
	text, err := book.WriteToBuffer()
	require.NoError(t, err)

	h, err := readPreview(t, "members.xlsx", text.String(), &people)
	require.NoError(t, err)
	require.Equal(t, "October", h.Detected.SheetName)
	require.Equal(t, []preview.Column{{Header: "Full name", Field: "NAME"}, {Header: "Email", Field: "EMAIL"}}, h.Columns)
	require.Len(t, h.Rows, 3)
	require.Len(t, h.Sheets, 3)
	require.Nil(t, h.Missing)

	stock := preview.Type{Fields: []preview.Field{{Name: "PRICE", Column: "price", Title: "Price", Kind: "decimal", Required: true}}}
	h, err = readPreview(t, "members.xlsx", text.String(), &stock)
	require.NoError(t, err)
	require.Equal(t, "Sheet1", h.Detected.SheetName, "no sheet has the columns")
	require.NotNil(t, h.Missing)
}

func TestPreviewShowsMissingColumns(t *testing.T) {
	t.Parallel()
	h, err := readPreview(t, "stock.csv", "Article;Price\nBolt;1\nNut;2\n", &people)
	require.NoError(t, err)
	require.Equal(t, &preview.Problem{Code: problem.RequiredColumnMissing, Message: "The file has no column for: Name, Email."}, h.Missing)
	require.False(t, h.More)

	h, err = readPreview(t, "stock.csv", "Article;Price\nBolt;1\nNut;2\n", nil)
	require.NoError(t, err, "without an import type no column is missing")
	require.Nil(t, h.Missing)
	require.Empty(t, h.Columns)
}

func TestInvalidFilesAreRejected(t *testing.T) {
	t.Parallel()
	locked := xlsxtest.Agile(t, []byte("PK\x03\x04"), "only we know", 1000)
	for name, c := range map[string]struct {
		text string
		code problem.Code
	}{
		"empty.csv":    {"", problem.FileEmpty},
		"letter.csv":   {"%PDF-1.7 …", problem.UnsupportedFormat},
		"page.xls":     {"<html><table>", problem.UnsupportedFormat},
		"broken.xlsx":  {"PK\x03\x04 and then nothing", problem.FileCorrupt},
		"secret.xlsx":  {string(locked), problem.FileEncrypted},
		"binary.csv":   {"Name;Email\n" + strings.Repeat("\xff\xfe\x00", 50), problem.UnsupportedFormat},
		"only-blanks.": {"\n\n\n", problem.FileEmpty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readPreview(t, name, c.text, &people)
			require.Equal(t, c.code, problem.CodeOf(err), "%v", err)
		})
	}
}

func TestFormatMismatchIsReported(t *testing.T) {
	t.Parallel()
	h, err := readPreview(t, "members.xlsx", "Name,Email\nAda,ada@example.org\n", &people)
	require.NoError(t, err)
	require.Contains(t, h.Detected.Warnings, string(problem.FormatMismatch))
}
