// Package workbook writes workbooks of any size row by row: sheets with texts, numbers and
// booleans, cell styles, and validations.
//
// Rows of several sheets may be written alternately. An archive needs the size of its parts,
// so each sheet is compressed immediately and buffered in memory or, beyond a megabyte, in a
// temporary file: memory does not grow with the rows.
//
// A library that supports the whole format finds methods by name for its formulas, so the
// linker cannot remove any method of a program that uses it. That doubled the bytes with
// which functions start.
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
	MaxCellUTF16 = 32_767 // UTF-16 units in a cell: longer text is truncated
	maxSheets    = 200
)

// Book is a workbook being written. Its zero value has no sheets.
type Book struct {
	sheets []*Sheet
	styles []Style
}

// Sheet adds a sheet with a unique name. The first one is shown when the workbook is opened.
func (b *Book) Sheet(name string, l Layout) (*Sheet, error) {
	if len(b.sheets) == maxSheets {
		return nil, fmt.Errorf("workbook: more than %d sheets", maxSheets)
	}
	s := newSheet(name, l, len(b.sheets) == 0)
	b.sheets = append(b.sheets, s)
	return s, nil
}

// Finish writes the workbook. If it has no sheets, it gets an empty one.
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

// Close deletes the temporary files.
func (b *Book) Close() error {
	var all error
	for _, s := range b.sheets {
		all = errors.Join(all, s.body.close())
	}
	return all
}
