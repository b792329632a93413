// Package workbook writes workbooks of any size row by row: sheets with texts, numbers and
// truth values, what cells look like, and what columns take.
//
// Rows of several sheets may be written in turn. A sheet is compressed at once and waits in
// memory, or, beyond a megabyte, in a temporary file, as an archive has to know what it
// stores: so memory does not grow with the rows.
//
// A library that knows all of the format finds methods by their names, for its formulas:
// no linker can leave any method out of a program that has it. That made functions start
// with twice as many bytes.
package workbook

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
)

// Limits of a workbook.
//
// https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3
const (
	MaxRows      = 1_048_576
	MaxCellUTF16 = 32_767 // of UTF-16, in a cell: text beyond them is left out
	maxSheets    = 200
)

// Book is a workbook on its way. Its zero value is one without sheets.
type Book struct {
	sheets []*Sheet
	styles []Style
}

// Sheet adds a sheet, whose name no other one has. The first one is shown when the workbook is opened.
func (b *Book) Sheet(name string, l Layout) (*Sheet, error) {
	if len(b.sheets) == maxSheets {
		return nil, fmt.Errorf("workbook: more than %d sheets", maxSheets)
	}
	s := newSheet(name, l, len(b.sheets) == 0)
	b.sheets = append(b.sheets, s)
	return s, nil
}

// Finish writes the workbook. One without sheets has an empty one.
func (b *Book) Finish(out io.Writer) error {
	if len(b.sheets) == 0 {
		if _, err := b.Sheet("Sheet1", Layout{}); err != nil {
			return err
		}
	}
	w := zip.NewWriter(out)
	for _, p := range b.parts() {
		f, err := w.Create(p.name)
		if err == nil {
			_, err = io.WriteString(f, p.text)
		}
		if err != nil {
			return fmt.Errorf("workbook: %s: %w", p.name, err)
		}
	}
	for i, s := range b.sheets {
		if err := s.finish(w, sheetPart(i)); err != nil {
			return fmt.Errorf("workbook: sheet %d: %w", i+1, err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("workbook: %w", err)
	}
	return nil
}

// Close frees the temporary files.
func (b *Book) Close() error {
	var all error
	for _, s := range b.sheets {
		all = errors.Join(all, s.body.close())
	}
	return all
}
