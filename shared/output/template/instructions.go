package template

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/workbook"
)

// writeInstructions writes the sheet that explains the other one.
func (b *templateWorkbook) writeInstructions() error {
	texts := entity.InstructionsIn(string(b.language))
	s, err := b.file.Sheet(texts.Sheet, workbook.Layout{Columns: []workbook.Column{{Width: 30}, {Width: 10}, {Width: 90}}})
	if err != nil {
		return err
	}
	line := func(style int, cells ...string) {
		values := make([]any, len(cells))
		for i, cell := range cells {
			values[i] = textCell(style, cell)
		}
		if err == nil {
			err = s.Row(values...)
		}
	}
	line(b.styles.title, b.language.Text(b.decl.Title))
	for _, advice := range b.sheetAdvice() {
		line(0, advice)
	}
	line(0)
	line(b.styles.required, texts.Header...)
	for i := range b.decl.Fields {
		f := &b.decl.Fields[i]
		required := "no"
		if f.Required {
			required = "yes"
		}
		line(b.styles.plain, b.titleOf(f), b.language.Text(required), b.fieldHelp(f)+b.customChoices(i))
	}
	return err
}

// sheetAdvice returns the advice for the whole sheet.
func (b *templateWorkbook) sheetAdvice() []string {
	lines := []string{
		fmt.Sprintf("Fill in the sheet %q with one row per entry. Do not change its first row.", b.data),
		"Columns marked with * are required in every row. Other columns can be deleted, and the order of columns does not matter.",
	}
	if b.decl.Context != nil {
		lines = append(lines, fmt.Sprintf("All rows of a file belong to one %s, which you select when you import the file.", b.decl.Context.Title))
	}
	return b.language.Texts(append(lines, "Rows with errors are listed with the reason after the import. All other rows are imported."))
}

// customChoices lists the organisation's own choices, if they are few.
func (b *templateWorkbook) customChoices(field int) string {
	const few = 20
	choices := b.valueChoices[field]
	switch {
	case len(choices) == 0 || b.decl.Fields[field].Kind != entity.Reference:
		return ""
	case len(choices) <= few:
		return " " + b.language.Text("Choose from: "+strings.Join(choices, ", ")+".")
	default:
		return " " + b.language.Text(fmt.Sprintf("Choose from a list of %d.", len(choices)))
	}
}

// fieldHelp describes the values of a field in a sentence or two.
func (b *templateWorkbook) fieldHelp(f *entity.Field) string {
	texts := []string{kindHelp(f)}
	if f.Unit != "" {
		texts = append(texts, fmt.Sprintf("Unit: %s.", f.Unit))
	}
	if f.Decimals != nil {
		texts = append(texts, fmt.Sprintf("At most %d decimals.", *f.Decimals))
	}
	if f.MaxLength > 0 {
		texts = append(texts, fmt.Sprintf("Up to %d characters.", f.MaxLength))
	}
	switch {
	case f.Min != "" && f.Max != "":
		texts = append(texts, fmt.Sprintf("From %s to %s.", f.Min, f.Max))
	case f.Min != "":
		texts = append(texts, fmt.Sprintf("At least %s.", f.Min))
	case f.Max != "":
		texts = append(texts, fmt.Sprintf("At most %s.", f.Max))
	}
	return strings.Join(b.language.Texts(texts), " ")
}

func kindHelp(f *entity.Field) string {
	switch f.Kind {
	case entity.Email:
		return "An e-mail address."
	case entity.Enum:
		return "One of " + strings.Join(f.Enum, ", ") + "."
	case entity.UUID:
		return "A UUID, such as 123e4567-e89b-12d3-a456-426614174000."
	case entity.Integer:
		return "A whole number."
	case entity.Decimal:
		return "A number."
	case entity.Boolean:
		return "Yes or no."
	case entity.Date:
		return "A date, such as 2026-01-31."
	case entity.Timestamp:
		return "A date and time, such as 2026-01-31 13:45:00."
	case entity.Reference:
		return "The name of an existing entry."
	case entity.TextList:
		return "Several texts, separated by |, a comma or a semicolon."
	default:
		return "Text."
	}
}
