// Package changeworkbook writes what an import has changed as a workbook: a sheet for each
// table, a row for each entity, and of each field the values before and after side by
// side, coloured where they differ.
//
// Tested by shared/httpapi: the workbook of an import.
package changeworkbook

import (
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/workbook"
)

// MaxChanges is how many changes a workbook has at most: fewer than a sheet has rows, as
// whoever waits for it does not wait for longer than half a minute.
const MaxChanges = 100_000

// leadingColumns is how many columns stand before those of the fields.
const leadingColumns = 3

// Sheet is what a workbook holds of a table.
type Sheet struct {
	Table   string
	Columns []string // of the table
	Fields  []string // what they are called, each in its place
}

// Workbook is a workbook on its way.
type Workbook struct {
	file   workbook.Book
	sheets map[string]*openSheet
	styles struct{ header, before, after int }
}

type openSheet struct {
	*workbook.Sheet
	places map[string]int // of the values before, by column
	values []any
}

// New begins a workbook with those sheets, or with an empty one where there are none.
func New(sheets []Sheet) (*Workbook, error) {
	b := &Workbook{sheets: make(map[string]*openSheet)}
	b.styles.header = b.file.Style(workbook.Style{Bold: true})
	b.styles.before = b.file.Style(workbook.Style{Colour: "9C0006", Fill: "FFC7CE"})
	b.styles.after = b.file.Style(workbook.Style{Colour: "006100", Fill: "C6EFCE"})
	for i := range sheets {
		if err := b.addSheet(&sheets[i]); err != nil {
			return nil, fmt.Errorf("workbook of changes: %w", err)
		}
	}
	return b, nil
}

// addSheet makes a sheet with its header.
func (b *Workbook) addSheet(s *Sheet) (err error) {
	made := &openSheet{places: make(map[string]int), values: make([]any, leadingColumns+2*len(s.Columns))}
	if made.Sheet, err = b.file.Sheet(sheetName(s.Table), workbook.Layout{FrozenColumns: leadingColumns, FrozenRows: 1}); err != nil {
		return err
	}
	header := []string{"Row", "Change", "Id"}
	for i, column := range s.Columns {
		made.places[column] = len(header)
		header = append(header, export.GuardFormulaText(s.Fields[i])+" before", export.GuardFormulaText(s.Fields[i])+" after")
	}
	for i, title := range header {
		made.values[i] = workbook.Cell{Style: b.styles.header, Value: title}
	}
	b.sheets[s.Table] = made
	return made.Row(made.values...)
}

// sheetName is a name that a sheet may have: of 31 characters at most.
func sheetName(table string) string { return table[:min(len(table), 31)] }

// Add writes a change into the sheet of its table. One of another table, or a column, that
// no sheet was begun with is an error.
func (b *Workbook) Add(c *changeset.Change) error {
	s := b.sheets[c.Table]
	if s == nil {
		return fmt.Errorf("workbook of changes: no sheet for %s", c.Table)
	}
	clear(s.values)
	if c.Row != 0 {
		s.values[0] = c.Row
	}
	s.values[1], s.values[2] = c.Op.String(), cellValue(&c.ID)
	for i, column := range c.Columns {
		place, known := s.places[column]
		if !known {
			return fmt.Errorf("workbook of changes: no column for %s.%s", c.Table, column)
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

// cellValue is a value as a cell takes it.
func cellValue(value *string) any {
	if value == nil {
		return nil
	}
	return export.GuardFormulaText(*value)
}

// Finish writes the workbook.
func (b *Workbook) Finish(out io.Writer) error {
	if err := b.file.Finish(out); err != nil {
		return fmt.Errorf("workbook of changes: %w", err)
	}
	return nil
}

// Close deletes the temporary files.
func (b *Workbook) Close() error { return b.file.Close() }
