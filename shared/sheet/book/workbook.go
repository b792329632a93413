package book

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Sheet is one entry in a workbook's list of sheets.
type Sheet struct {
	Name   string
	Hidden bool // hidden or very hidden
	Grid   bool // has cells; charts, dialogs and macros have none
}

// Workbook is an open workbook of any format.
type Workbook interface {
	// Sheets returns all sheets in the order of their tabs.
	Sheets() []Sheet
	// Grid opens the rows of a sheet by its index in Sheets.
	Grid(index int) (Grid, error)
	// Date1904 reports whether dates use the 1904 date system.
	Date1904() bool
	// Warnings returns the codes of the accepted irregularities in the part of the file that was
	// read so far.
	Warnings() []problem.Code
}

// Grid is a stream of the rows of a sheet that have a value, in ascending order of their
// numbers.
type Grid interface {
	Next() bool
	Row() *sheet.Row
	Err() error
	// Layout returns the layout that is known so far: hidden columns from the start on, merged
	// ranges at the end.
	Layout() *Layout
	Close() error
}

// Detect chooses the sheet and finds its header.
//
// The sheet is the one stated by name (in any case) or by index, hidden or not; otherwise the
// first visible one with a value. Hidden rows and columns are read like all others; hidden columns are
// a warning here, hidden rows are in sheet.Counts.
func Detect(w Workbook, f sheet.Format, opt sheet.Options, lim sheet.Limits) (*sheet.Dialect, error) {
	index, sample, layout, err := chooseSheet(w, opt)
	if err != nil {
		return nil, err
	}
	name, _ := sheet.CleanName([]byte(w.Sheets()[index].Name))
	header, found := sample.Header(opt.HeaderRow, opt.HeaderRows)
	if !found {
		return nil, problem.New(problem.OptionInvalid,
			"The sheet has no header in row %d: the row is empty.", opt.HeaderRow)
	}
	if err := sample.CheckHeader(header, lim); err != nil {
		return nil, err
	}
	header.Widen(sample)
	d := &sheet.Dialect{
		Format:      f,
		SheetName:   name,
		SheetIndex:  index,
		Date1904:    w.Date1904(),
		DateOrder:   opt.DateOrder,
		DecimalMark: opt.DecimalMark,
	}
	d.SetHeader(header)
	for _, code := range w.Warnings() {
		d.Warnings = append(d.Warnings, string(code))
	}
	if hidden := layout.hiddenHeaders(d.Header); len(hidden) > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%s: %s", problem.ColumnsHidden, strings.Join(hidden, ", ")))
	}
	return d, nil
}

// chooseSheet selects and samples the sheet.
func chooseSheet(w Workbook, opt sheet.Options) (int, *sheet.Sample, *Layout, error) {
	if opt.StatesSheet() {
		index, err := statedSheet(w.Sheets(), opt)
		if err != nil {
			return 0, nil, nil, err
		}
		sample, layout, err := sampleOf(w, index)
		if err == nil && len(sample.Rows()) == 0 {
			err = problem.New(problem.NoDataSheet, "The selected sheet is empty.")
		}
		return index, sample, layout, err
	}
	for index, s := range w.Sheets() {
		if s.Hidden || !s.Grid {
			continue
		}
		sample, layout, err := sampleOf(w, index)
		if err != nil || len(sample.Rows()) > 0 {
			return index, sample, layout, err
		}
	}
	return 0, nil, nil, problem.New(problem.NoDataSheet, "The visible sheets of the workbook contain no data.")
}

// statedSheet returns the index of the sheet that the options name.
func statedSheet(sheets []Sheet, opt sheet.Options) (int, error) {
	index := -1
	if opt.SheetIndex != nil {
		index = *opt.SheetIndex
	}
	if opt.SheetName != "" {
		index = findSheetByName(sheets, opt.SheetName)
	}
	if index < 0 || index >= len(sheets) {
		return 0, missingSheetError(len(sheets), opt)
	}
	if !sheets[index].Grid {
		return 0, problem.New(problem.NoDataSheet, "The selected sheet has no cells, for example because it is a chart.")
	}
	return index, nil
}

// findSheetByName returns the index of the sheet with that name, in the form of sheet.Name. An
// exact match takes precedence over one in another case.
func findSheetByName(sheets []Sheet, name string) int {
	folded := -1
	for i := range sheets {
		its, _ := sheet.CleanName([]byte(sheets[i].Name))
		if its == name {
			return i
		}
		if folded < 0 && strings.EqualFold(its, name) {
			folded = i
		}
	}
	return folded
}

func sampleOf(w Workbook, index int) (*sheet.Sample, *Layout, error) {
	grid, err := w.Grid(index)
	if err != nil {
		return nil, nil, err
	}
	sample := &sheet.Sample{}
	for grid.Next() && sample.Add(grid.Row()) {
	}
	if err := grid.Err(); err != nil {
		_ = grid.Close() // the first error is the one to report
		return nil, nil, err
	}
	return sample, grid.Layout(), grid.Close()
}
