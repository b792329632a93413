// Package changeworkbook writes the changes of an import as a workbook: a sheet for each
// table, a row for each entity, and for each field the values before and after side by
// side, coloured if they differ.
//
// Tested by shared/httpapi: the workbook of an import.
package changeworkbook

import (
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/output/workbook"
)

// MaxChanges is the maximum number of changes in a workbook: fewer than the rows of a sheet,
// so that the caller waits no longer than half a minute.
const MaxChanges = 100_000

// leadingColumns is the number of columns before those of the fields.
const leadingColumns = 3

// Sheet describes the sheet of a table.
type Sheet struct {
	Table   string
	Columns []string // of the table
	Fields  []string // their titles, in the same order
}

// Workbook is a workbook being written.
type Workbook struct {
	file     workbook.Book
	language translation.Language
	sheets   map[string]*openSheet
	styles   struct{ header, before, after int }
}

type openSheet struct {
	*workbook.Sheet
	places map[string]int // column indexes of the values before, by column
	values []any
}

// New starts a workbook in the language with those sheets, or with an empty one if there are none.
func New(l translation.Language, sheets []Sheet) (*Workbook, error) {
	b := &Workbook{language: l, sheets: make(map[string]*openSheet)}
	b.styles.header = b.file.Style(workbook.Style{Bold: true})
	b.styles.before = b.file.Style(workbook.Style{Colour: "9C0006", Fill: "FFC7CE"})
	b.styles.after = b.file.Style(workbook.Style{Colour: "006100", Fill: "C6EFCE"})
	for i := range sheets {
		if err := b.addSheet(&sheets[i]); err != nil {
			return nil, fmt.Errorf("write change workbook: %w", err)
		}
	}
	return b, nil
}

// addSheet adds a sheet with its header.
func (b *Workbook) addSheet(s *Sheet) (err error) {
	made := &openSheet{places: make(map[string]int), values: make([]any, leadingColumns+2*len(s.Columns))}
	if made.Sheet, err = b.file.Sheet(sheetName(s.Table), workbook.Layout{FrozenColumns: leadingColumns, FrozenRows: 1}); err != nil {
		return err
	}
	before, after := " "+b.language.Text("before"), " "+b.language.Text("after")
	header := b.language.Texts([]string{"Row", "Change", "Id"})
	for i, column := range s.Columns {
		made.places[column] = len(header)
		header = append(header, export.GuardFormulaText(s.Fields[i])+before, export.GuardFormulaText(s.Fields[i])+after)
	}
	for i, title := range header {
		made.values[i] = workbook.Cell{Style: b.styles.header, Value: title}
	}
	b.sheets[s.Table] = made
	return made.Row(made.values...)
}

// sheetName returns a valid name of a sheet, which has at most 31 characters.
func sheetName(table string) string { return table[:min(len(table), 31)] }

// Add writes a change to the sheet of its table. It returns an error for a table or a column
// that was not passed to New.
func (b *Workbook) Add(c *changeset.Change) error {
	s := b.sheets[c.Table]
	if s == nil {
		return fmt.Errorf("write change workbook: no sheet for %s", c.Table)
	}
	clear(s.values)
	if c.Row != 0 {
		s.values[0] = c.Row
	}
	s.values[1], s.values[2] = b.language.Text(c.Op.String()), cellValue(&c.ID)
	for i, column := range c.Columns {
		place, known := s.places[column]
		if !known {
			return fmt.Errorf("write change workbook: no column for %s.%s", c.Table, column)
		}
		if c.Before != nil {
			s.values[place] = workbook.Cell{Style: b.styles.before, Value: cellValue(c.Before[i])}
		}
		if c.After != nil {
			s.values[place+1] = workbook.Cell{Style: b.styles.after, Value: cellValue(c.After[i])}
		}
	}
	return s.Row(s.values...)
}

// cellValue converts a value for a cell.
func cellValue(value *string) any {
	if value == nil {
		return nil
	}
	return export.GuardFormulaText(*value)
}

// Finish writes the workbook.
func (b *Workbook) Finish(out io.Writer) error {
	if err := b.file.Finish(out); err != nil {
		return fmt.Errorf("write change workbook: %w", err)
	}
	return nil
}

// Close deletes the temporary files.
func (b *Workbook) Close() error { return b.file.Close() }
