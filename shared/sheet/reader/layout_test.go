package reader_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

// layoutWorkbook returns a workbook with that many rows of three columns below the header.
func layoutWorkbook(t *testing.T, rows int, change func(f *excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"a", "b", "c"}))
	for i := range rows {
		require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &[]any{i, fmt.Sprintf("text %d of a row that is long enough", i), "x"}))
	}
	change(f)
	var out bytes.Buffer
	require.NoError(t, f.Write(&out))
	return out.Bytes()
}

func TestLayoutOfWorkbooks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file     []byte
		options  sheet.Options
		header   []string // not compared if nil
		warnings []string
		layout   sheet.Layout
	}{
		"plain": {file: layoutWorkbook(t, 3, func(*excelize.File) {})},
		"hidden rows": {
			file: layoutWorkbook(t, 5, func(f *excelize.File) {
				require.NoError(t, f.SetRowVisible("Sheet1", 3, false))
				require.NoError(t, f.SetRowVisible("Sheet1", 5, false))
				require.NoError(t, f.SetRowVisible("Sheet1", 900, false)) // without a value
			}),
			layout: sheet.Layout{HiddenRows: 2, FirstHidden: 3},
		},
		"hidden rows of a large sheet, which is read on several cores": {
			file: layoutWorkbook(t, 40_000, func(f *excelize.File) {
				require.NoError(t, f.SetRowVisible("Sheet1", 30_000, false))
				require.NoError(t, f.SetRowVisible("Sheet1", 39_000, false))
				require.NoError(t, f.MergeCell("Sheet1", "C20000", "C20001"))
			}),
			layout: sheet.Layout{HiddenRows: 2, FirstHidden: 30_000, Merged: 1, FirstMerged: "C20000:C20001"},
		},
		"hidden header": {
			file: layoutWorkbook(t, 2, func(f *excelize.File) { require.NoError(t, f.SetRowVisible("Sheet1", 1, false)) }),
		},
		"hidden columns": {
			file: layoutWorkbook(t, 2, func(f *excelize.File) {
				require.NoError(t, f.SetColVisible("Sheet1", "B:C", false))
				require.NoError(t, f.SetColVisible("Sheet1", "G", false))
			}),
			warnings: []string{"COLUMNS_HIDDEN: b, c"},
		},
		"merged cells": {
			file: layoutWorkbook(t, 6, func(f *excelize.File) {
				require.NoError(t, f.MergeCell("Sheet1", "A1", "B1")) // header
				require.NoError(t, f.MergeCell("Sheet1", "C5", "C6"))
				require.NoError(t, f.MergeCell("Sheet1", "C2", "C4"))
				require.NoError(t, f.MergeCell("Sheet1", "A7", "B7")) // in one row
				require.NoError(t, f.MergeCell("Sheet1", "A50", "B60"))
			}),
			options: sheet.Options{HeaderRow: 1},
			layout:  sheet.Layout{Merged: 2, FirstMerged: "C2:C4"},
		},
		"merged and hidden footer": {
			file: layoutWorkbook(t, 6, func(f *excelize.File) {
				require.NoError(t, f.MergeCell("Sheet1", "C2", "C3"))
				require.NoError(t, f.SetRowVisible("Sheet1", 4, false))
			}),
			options: sheet.Options{SkipFooterRows: 2},
			layout:  sheet.Layout{HiddenRows: 1, FirstHidden: 4, Merged: 1, FirstMerged: "C2:C3"},
		},
		"values right of the header": {
			file: layoutWorkbook(t, 1_200, func(f *excelize.File) {
				require.NoError(t, f.SetCellValue("Sheet1", "E10", "note")) // a column without a header
				require.NoError(t, f.SetCellValue("Sheet1", "E1150", "note"))
				require.NoError(t, f.SetCellValue("Sheet1", "F1160", "only below the sample"))
				require.NoError(t, f.SetCellValue("Sheet1", "G1170", "x"))
			}),
			header: []string{"a", "b", "c", "", ""},
			layout: sheet.Layout{Beyond: 2, FirstBeyond: 1160},
		},
		"xls": {
			file: xlstest.Simple(
				xlstest.Record(0x007d, uint16(1), uint16(1), uint16(2000), uint16(15), uint16(1), uint16(0)),
				xlstest.Record(0x0208, uint16(2), uint16(0), uint16(2), uint16(300), uint16(0), uint16(0), uint16(0x120), uint16(15)),
				xlstest.Header(), xlstest.Number(1, 0, 0, 1), xlstest.Number(2, 0, 0, 2), xlstest.Number(3, 0, 0, 3),
				xlstest.Record(0x00e5, uint16(2), uint16(1), uint16(1), uint16(0), uint16(1), uint16(1), uint16(3), uint16(27), uint16(27)),
				xlstest.Record(0x00e5, uint16(9)), // shorter than it states
			).File(),
			warnings: []string{"COLUMNS_HIDDEN: b"},
			layout:   sheet.Layout{HiddenRows: 1, FirstHidden: 3, Merged: 1, FirstMerged: "AB2:AB4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := bytes.NewReader(test.file)
			d, err := reader.Detect(t.Context(), src, test.options, sheet.DefaultLimits())
			require.NoError(t, err)
			require.Equal(t, test.warnings, d.Warnings)
			if test.header != nil {
				require.Equal(t, test.header, d.Header)
			}
			rows, err := reader.Open(t.Context(), src, d, sheet.DefaultLimits())
			require.NoError(t, err)
			for rows.Next() {
			}
			require.NoError(t, rows.Err())
			require.Equal(t, test.layout, rows.Counts().Layout)
			require.NoError(t, rows.Close())

			counts, err := reader.Cut(t.Context(), src, d, 1000, sheet.DefaultLimits(), func(context.Context, sheet.Chunk, []byte) error { return nil })
			require.NoError(t, err)
			require.Equal(t, test.layout, counts.Layout)
		})
	}
}
