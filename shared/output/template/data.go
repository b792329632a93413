package template

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/workbook"
	"github.com/loadbay/loadbay/shared/sheet/cellname"
)

// writeData writes the sheet that people fill in: a header, and columns that describe the
// values they accept.
func (b *templateWorkbook) writeData() error {
	layout := workbook.Layout{FrozenRows: 1}
	var headers []any
	for i := range b.decl.Fields {
		f := &b.decl.Fields[i]
		header, style := b.titleOf(f), b.styles.optional
		if f.Required {
			header, style = header+requiredSuffix, b.styles.required
		}
		headers = append(headers, textCell(style, header))
		layout.Columns = append(layout.Columns, workbook.Column{Width: float64(max(14, utf8.RuneCountInString(header)+4)), Style: b.styleOf(f.Kind)})
		layout.Validations = append(layout.Validations, b.columnValidation(i, f, len(b.valueChoices[i])))
	}
	s, err := b.file.Sheet(b.data, layout)
	if err != nil {
		return err
	}
	return s.Row(headers...)
}

// titleOf returns the title of a field in the language of the workbook.
func (b *templateWorkbook) titleOf(f *entity.Field) string {
	return b.language.Title(f.Title, f.Titles)
}

// columnValidation describes the values of a column, and warns of others. It does not reject
// them: an import accepts more than a template can list.
func (b *templateWorkbook) columnValidation(column int, f *entity.Field, choices int) workbook.Validation {
	v := workbook.Validation{Column: column, Required: f.Required, Title: truncatePrompt(b.titleOf(f), maxPromptTitle), Prompt: truncatePrompt(b.fieldHelp(f), maxPrompt)}
	if choices > 0 {
		name := cellname.Column(column)
		v.List = fmt.Sprintf("%s!$%s$1:$%s$%d", listsSheet, name, name, choices)
		v.WarnTitle, v.WarnPrompt = b.language.Text("Not in the list"), b.language.Text("This value is not in the list. Keep it?")
	}
	return v
}

// Limits of the hint that appears next to a cell, in UTF-16.
const (
	maxPromptTitle = 32
	maxPrompt      = 255
)

func truncatePrompt(s string, limit int) string {
	if len(utf16.Encode([]rune(s))) <= limit {
		return s
	}
	r := []rune(s)
	for len(utf16.Encode(r)) > limit-1 {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// writeLists writes the lists of choices, each in the column of its field, on a hidden sheet.
func (b *templateWorkbook) writeLists() error {
	longest := 0
	for _, choices := range b.valueChoices {
		longest = max(longest, len(choices))
	}
	if longest == 0 {
		return nil
	}
	s, err := b.file.Sheet(listsSheet, workbook.Layout{Hidden: true})
	if err != nil {
		return err
	}
	for row := range longest {
		values := make([]any, len(b.valueChoices))
		for i, choices := range b.valueChoices {
			if row < len(choices) {
				values[i] = textCell(b.styles.text, choices[row])
			}
		}
		if err := s.Row(values...); err != nil {
			return err
		}
	}
	return nil
}
