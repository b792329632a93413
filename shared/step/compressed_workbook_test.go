package step_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// TestCompressedWorkbookIsBounded splits a workbook of a few KB that would expand to 157 MB, and
// one that is damaged at its end. Neither leaves anything behind.
func TestCompressedWorkbookIsBounded(t *testing.T) {
	t.Parallel()
	header := "<row>"
	for _, name := range []string{"Email", "Full name", "Notes", "Remarks"} {
		header += `<c t="inlineStr"><is><t>` + name + `</t></is></c>`
	}
	header += "</row>"
	shared := "<row>" + strings.Repeat(`<c t="s"><v>0</v></c>`, 4) + "</row>"
	repeated := xlsxtest.Workbook(header + strings.Repeat(shared, 300))
	repeated["xl/sharedStrings.xml"] = xlsxtest.SharedStrings("<t>" + strings.Repeat("x", 131_000) + "</t>")
	damaged := xlsxtest.Workbook(header + strings.Repeat(shared, 1500) + `<row r="1"></row>`)
	for name, c := range map[string]struct {
		file string
		code problem.Code
	}{
		"one text repeated many times": {string(repeated.Bytes(t)), problem.FileTooCompressed},
		"damaged at the end":           {string(damaged.Bytes(t)), problem.FileCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 10)
			ref := e.create(t, "USER", "users.xlsx", c.file, nil)
			e.saveMapping(t, ref, `{"fields":[],"ignore":["Notes","Remarks"]}`) // otherwise analysis reads all rows
			_, err := e.analyze.Run(t.Context(), ref)
			require.NoError(t, err)
			_, err = e.resolve.Run(t.Context(), ref)
			require.NoError(t, err)
			require.Equal(t, c.code, problem.CodeOf(e.split.Run(t.Context(), ref)))
			left, err := e.Objects(t.Context(), "chunks/")
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
