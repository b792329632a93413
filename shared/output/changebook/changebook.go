// Package changebook writes what an import has changed as a workbook: a sheet for each
// table, a row for each entity, and of each field the values before and after side by
// side, coloured where they differ.
//
// Tested by shared/httpapi: the workbook of an import.
package changebook

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/changeset"
	"github.com/loadbay/loadbay/shared/output/export"
)

// MaxChanges is how many changes a workbook has at most: fewer than a sheet has rows, as
// whoever waits for it does not wait for longer than half a minute.
const MaxChanges = 100_000

// maxUnits is how much text a cell holds, in units of UTF-16. What is longer is cut.
//
// https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3
const maxUnits = 32_767

// leading is how many columns stand before those of the fields.
const leading = 3

// Sheet is what a workbook holds of a table.
type Sheet struct {
	Table   string
	Columns []string // of the table
	Fields  []string // what they are called, each in its place
}

// Book is a workbook on its way. excelize puts large sheets into temporary files.
type Book struct {
	file   *excelize.File
	sheets map[string]*sheet
	styles struct{ header, before, after int }
}

type sheet struct {
	*excelize.StreamWriter
	places map[string]int // of the values before, by column
	rows   int
	values []any
}

// New begins a workbook with those sheets, or with an empty one where there are none.
func New(sheets []Sheet) (*Book, error) {
	b := &Book{file: excelize.NewFile(), sheets: make(map[string]*sheet)}
	err := b.addStyles()
	for i := range sheets {
		if err == nil {
			err = b.begin(i, &sheets[i])
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("workbook of changes: %w", err), b.file.Close())
	}
	return b, nil
}

func (b *Book) addStyles() (err error) {
	if b.styles.header, err = b.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}}); err != nil {
		return err
	}
	if b.styles.before, err = b.file.NewStyle(coloured("9C0006", "FFC7CE")); err != nil {
		return err
	}
	b.styles.after, err = b.file.NewStyle(coloured("006100", "C6EFCE"))
	return err
}

func coloured(font, fill string) *excelize.Style {
	return &excelize.Style{Font: &excelize.Font{Color: font}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{fill}}}
}

// begin makes a sheet with its header.
func (b *Book) begin(place int, s *Sheet) (err error) {
	if place == 0 {
		err = b.file.SetSheetName(b.file.GetSheetName(0), sheetName(s.Table))
	} else {
		_, err = b.file.NewSheet(sheetName(s.Table))
	}
	if err != nil {
		return err
	}
	made := &sheet{places: make(map[string]int), values: make([]any, leading+2*len(s.Columns))}
	if made.StreamWriter, err = b.file.NewStreamWriter(sheetName(s.Table)); err != nil {
		return err
	}
	frozen := &excelize.Panes{Freeze: true, XSplit: leading, YSplit: 1, TopLeftCell: "D2", ActivePane: "bottomRight"}
	if err := made.SetPanes(frozen); err != nil {
		return err
	}
	header := []string{"Row", "Change", "Id"}
	for i, column := range s.Columns {
		made.places[column] = len(header)
		header = append(header, export.GuardText(s.Fields[i])+" before", export.GuardText(s.Fields[i])+" after")
	}
	for i, title := range header {
		made.values[i] = excelize.Cell{StyleID: b.styles.header, Value: title}
	}
	b.sheets[s.Table] = made
	return made.write()
}

// sheetName is a name that a sheet may have: of 31 characters at most.
func sheetName(table string) string { return table[:min(len(table), 31)] }

func (s *sheet) write() error {
	s.rows++
	return s.SetRow("A"+strconv.Itoa(s.rows), s.values)
}

// Add writes a change into the sheet of its table. One of another table, or a column, that
// no sheet was begun with is an error.
func (b *Book) Add(c *changeset.Change) error {
	s := b.sheets[c.Table]
	if s == nil {
		return fmt.Errorf("workbook of changes: no sheet for %s", c.Table)
	}
	clear(s.values)
	if c.Row != 0 {
		s.values[0] = c.Row
	}
	s.values[1], s.values[2] = c.Op.String(), cell(&c.ID)
	for i, column := range c.Columns {
		place, known := s.places[column]
		if !known {
			return fmt.Errorf("workbook of changes: no column for %s.%s", c.Table, column)
		}
		if c.Before != nil {
			s.values[place] = excelize.Cell{StyleID: b.styles.before, Value: cell(c.Before[i])}
		}
		if c.After != nil {
			s.values[place+1] = excelize.Cell{StyleID: b.styles.after, Value: cell(c.After[i])}
		}
	}
	return s.write()
}

// cell is a value as a cell takes it.
func cell(value *string) any {
	if value == nil {
		return nil
	}
	text := export.GuardText(*value)
	if len(text) <= maxUnits {
		return text
	}
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > maxUnits {
			return strings.ToValidUTF8(text[:i], "\uFFFD")
		}
	}
	return text
}

// Finish writes the workbook.
func (b *Book) Finish(out io.Writer) error {
	for _, s := range b.sheets {
		if err := s.Flush(); err != nil {
			return fmt.Errorf("workbook of changes: %w", err)
		}
	}
	// excelize would gather the whole archive in memory; its zip writer can be made to
	// write elsewhere.
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(out) })
	if _, err := b.file.WriteToBuffer(); err != nil {
		return fmt.Errorf("workbook of changes: %w", err)
	}
	return nil
}

// Close deletes the temporary files.
func (b *Book) Close() error { return b.file.Close() }
