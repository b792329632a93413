package template

import (
	"fmt"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity"
)

// writeData writes the sheet that people fill in: a header, and columns that
// say what they take.
func (b *book) writeData() error {
	for i := range b.decl.Fields {
		if err := b.writeColumn(i+1, &b.decl.Fields[i]); err != nil {
			return fmt.Errorf("column %s: %w", b.decl.Fields[i].Name, err)
		}
	}
	return b.file.SetPanes(b.data, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"})
}

func (b *book) writeColumn(column int, f *entity.Field) error {
	name, err := excelize.ColumnNumberToName(column)
	if err != nil {
		return err
	}
	if err := b.file.SetColStyle(b.data, name, b.styleOf(f.Kind)); err != nil {
		return err
	}
	header, style := f.Title, b.styles.optional
	if f.Required {
		header, style = f.Title+Required, b.styles.required
	}
	if err := b.file.SetColWidth(b.data, name, name, float64(max(14, len(header)+4))); err != nil {
		return err
	}
	if err := b.put(b.data, column, 1, style, header); err != nil {
		return err
	}
	return b.file.AddDataValidation(b.data, b.validation(name, f, len(b.choices[column-1])))
}

// validation shows what a column takes, and warns of anything else. It does not
// refuse it: an import understands more than a template can list.
func (b *book) validation(column string, f *entity.Field, choices int) *excelize.DataValidation {
	v := excelize.NewDataValidation(!f.Required)
	v.Sqref = fmt.Sprintf("%s2:%s%d", column, column, lastRow)
	v.SetInput(shorten(f.Title, maxPromptTitle), shorten(takes(f), maxPrompt))
	if choices > 0 {
		v.SetSqrefDropList(fmt.Sprintf("%s!$%s$1:$%s$%d", listsSheet, column, column, choices))
		v.SetError(excelize.DataValidationErrorStyleWarning, "Not in the list", "This value is not in the list. Keep it all the same?")
	}
	return v
}

// Limits of the hint that appears next to a cell, in UTF-16.
const (
	maxPromptTitle = 32
	maxPrompt      = 255
)

func shorten(s string, limit int) string {
	if len(utf16.Encode([]rune(s))) <= limit {
		return s
	}
	r := []rune(s)
	for len(utf16.Encode(r)) > limit-1 {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// writeLists writes the values to choose from, each list in the column of its
// field, on a hidden sheet.
func (b *book) writeLists() error {
	listed := false
	for i, choices := range b.choices {
		if len(choices) == 0 {
			continue
		}
		if !listed {
			listed = true
			if _, err := b.file.NewSheet(listsSheet); err != nil {
				return err
			}
			if err := b.file.SetSheetVisible(listsSheet, false); err != nil {
				return err
			}
		}
		for row, choice := range choices {
			if err := b.put(listsSheet, i+1, row+1, b.styles.text, choice); err != nil {
				return err
			}
		}
	}
	return nil
}
