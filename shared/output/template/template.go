// Package template creates the workbook that people fill in for an import: a sheet with the
// type's columns, with required ones marked and with lists of choices; and a sheet with
// instructions. All of it is derived from the type's declaration and from the organisation's
// own values.
package template

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/output/workbook"
)

// Filename returns the name of a type's template.
func Filename(d *entity.Declaration) string { return d.Resource + "-template.xlsx" }

// Limits of a workbook.
//
// https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3
const (
	maxListed    = 32_767 // entries of a drop-down list
	maxSheetName = 31
)

// listsSheet is the name of the hidden sheet with the choices of columns.
const listsSheet = "Lists"

// requiredSuffix follows the header of a required column. The matching of columns ignores it.
const requiredSuffix = " *"

// Write writes the template of a type in a language. lists contains, by Field.Name, the choices for the
// values of a reference field.
func Write(w io.Writer, l translation.Language, d *entity.Declaration, lists map[string][]string) (err error) {
	b := newTemplateWorkbook(l, d, lists)
	defer func() { err = errors.Join(err, b.file.Close()) }()
	for _, write := range []func() error{b.writeData, b.writeInstructions, b.writeLists, func() error { return b.file.Finish(w) }} {
		if err := write(); err != nil {
			return fmt.Errorf("template of %s: %w", d.Name, err)
		}
	}
	return nil
}

// templateWorkbook is a template being written.
type templateWorkbook struct {
	language     translation.Language
	file         workbook.Book
	decl         *entity.Declaration
	data         string // name of the sheet with the columns
	valueChoices [][]string
	styles       styles
}

func newTemplateWorkbook(l translation.Language, d *entity.Declaration, lists map[string][]string) *templateWorkbook {
	b := &templateWorkbook{language: l, decl: d, data: sheetName(l.Text(d.Title)), valueChoices: make([][]string, len(d.Fields))}
	for i := range d.Fields {
		b.valueChoices[i] = choicesFor(&d.Fields[i], lists)
	}
	b.addStyles()
	return b
}

// sheetName converts a title to a valid name of a sheet, which excludes some characters.
func sheetName(title string) string {
	name := []rune(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:\/?*[]'`, r) {
			return ' '
		}
		return r
	}, title))
	return string(name[:min(len(name), maxSheetName)])
}

// choicesFor returns the choices for a column's cells; none if any text is valid.
func choicesFor(f *entity.Field, lists map[string][]string) []string {
	switch f.Kind {
	case entity.Enum:
		return f.Enum
	case entity.Boolean:
		return []string{"yes", "no"}
	case entity.Reference:
		return lists[f.Name][:min(len(lists[f.Name]), maxListed)]
	default:
		return nil
	}
}

// textCell returns a cell with a text that is never a formula, not even after the sheet was
// saved as CSV.
func textCell(style int, s string) workbook.Cell {
	return workbook.Cell{Style: style, Value: string(export.GuardFormula(nil, []byte(s)))}
}
