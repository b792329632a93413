package files

import (
	"strings"

	"github.com/xuri/excelize/v2"
)

// workbook is an XLSX file written with excelize. It panics on errors, which are mistakes in
// the test data.
type workbook struct{ *excelize.File }

func newWorkbook(first string) workbook {
	w := workbook{excelize.NewFile()}
	w.must(w.SetSheetName("Sheet1", first))
	return w
}

func (w workbook) must(err error) {
	if err != nil {
		panic(err)
	}
}

func (w workbook) sheet(name string) {
	_, err := w.NewSheet(name)
	w.must(err)
}

// setRow writes a row's cells from its first column on; "" omits a cell.
func (w workbook) setRow(sheet string, line int, cells ...any) {
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		name, err := excelize.CoordinatesToCellName(i+1, line)
		w.must(err)
		w.must(w.SetCellValue(sheet, name, cell))
	}
}

func (w workbook) merge(sheet string, ranges ...string) {
	for _, r := range ranges {
		from, to, _ := strings.Cut(r, ":")
		w.must(w.MergeCell(sheet, from, to))
	}
}

// formatDates applies a date format to columns.
func (w workbook) formatDates(sheet string, columns ...string) {
	format := "m/d/yyyy"
	style, err := w.NewStyle(&excelize.Style{CustomNumFmt: &format})
	w.must(err)
	for _, column := range columns {
		w.must(w.SetColStyle(sheet, column, style))
	}
}

func (w workbook) bytes() []byte {
	b, err := w.WriteToBuffer()
	w.must(err)
	return b.Bytes()
}
