package rows

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// explainError says what is wrong with a cell, in sentences that say what the field takes
// with an example. general is what is wrong with it in any field.
func explainError(f *entity.Field, code problem.Code, general string) string {
	switch {
	case code == problem.CellPrecision && f.Identifying:
		return "The number has lost digits, as in scientific notation. Format the column as text and write the whole number."
	case code == problem.CellPrecision && f.Kind == entity.Integer:
		return "This is not a whole number, such as 12, or it has lost digits. Long numbers keep theirs in cells that are formatted as text."
	case code == problem.CellPrecision && f.Kind == entity.Date:
		return "The column takes days without a time: 2026-01-31."
	case code == problem.CellRange && f.PastOnly:
		return "The date is in the future."
	case code == problem.CellTooLong:
		return fmt.Sprintf("%s It takes %d characters.", general, cmp.Or(f.MaxLength, maxText))
	case code == problem.CellTooSmall:
		return general + " The smallest is " + f.Min + "."
	case code == problem.CellTooLarge:
		return general + " The largest is " + f.Max + "."
	case needsExample(code) || f.Kind == entity.Enum:
		return general + " It takes " + describeField(f) + "."
	default:
		return general
	}
}

// needsExample reports whether a code alone does not show what a field takes.
func needsExample(code problem.Code) bool {
	switch code {
	case problem.CellRequired, problem.CellPattern, problem.CellRange, problem.CellNested, problem.CellError:
		return true
	default:
		return false
	}
}

// describeField says what a field takes, with an example where not any text will do.
func describeField(f *entity.Field) string {
	if f.FormatHint != "" {
		return f.FormatHint
	}
	switch f.Kind {
	case entity.Email:
		return "a mail address: ada@example.org"
	case entity.Enum:
		return "one of " + strings.Join(f.Enum, ", ")
	case entity.UUID:
		return "a UUID: 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	case entity.Integer:
		return "a whole number: 12"
	case entity.Decimal:
		return "a number: 12.5"
	case entity.Boolean:
		return "yes or no, true or false, 1 or 0"
	case entity.Date:
		return "a day: 2026-01-31"
	case entity.Timestamp:
		return "a day, with or without a time: 2026-01-31 12:00:00"
	case entity.TextList:
		return "texts with | between them: go|aws"
	case entity.Reference:
		return "the name of what is meant, or its id"
	default:
		return fmt.Sprintf("a text of up to %d characters", cmp.Or(f.MaxLength, maxText))
	}
}
