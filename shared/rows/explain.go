package rows

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// explainError describes the error of a cell and the values that the field accepts, with an
// example. general is the description of the error for any field.
func explainError(f *entity.Field, code problem.Code, general string) string {
	switch {
	case code == problem.CellPrecision && f.RejectsLostDigits() && f.Kind != entity.Integer:
		return "The number has lost digits, as in scientific notation. Format the column as text and write the whole number."
	case code == problem.CellPrecision && f.Kind == entity.Integer:
		return "This is not a whole number, such as 12, or it has lost digits. Format cells with long numbers as text."
	case code == problem.CellPrecision && f.Kind == entity.Date:
		return "The column requires a date without a time: 2026-01-31."
	case code == problem.CellRange && f.PastOnly:
		return "The date is in the future."
	case code == problem.CellPrecision && f.Decimals != nil:
		return fmt.Sprintf("The number has more than %d decimals, or it has lost digits. Round it in the file.", *f.Decimals)
	case code == problem.CellTooLong:
		return fmt.Sprintf("%s At most %d characters are allowed.", general, cmp.Or(f.MaxLength, maxText))
	case code == problem.CellTooSmall:
		return general + " The minimum is " + f.Min + "."
	case code == problem.CellTooLarge:
		return general + " The maximum is " + f.Max + "."
	case needsExample(code) || f.Kind == entity.Enum:
		return general + " Enter " + describeField(f) + "."
	default:
		return general
	}
}

// needsExample reports whether the code alone does not show which values a field accepts.
func needsExample(code problem.Code) bool {
	switch code {
	case problem.CellRequired, problem.CellPattern, problem.CellRange, problem.CellNested, problem.CellError:
		return true
	default:
		return false
	}
}

// describeField describes the values that a field accepts, with an example unless it accepts any
// text.
func describeField(f *entity.Field) string {
	if f.FormatHint != "" {
		return f.FormatHint
	}
	switch f.Kind {
	case entity.Email:
		return "an e-mail address: ada@example.org"
	case entity.Enum:
		return "one of " + strings.Join(f.Enum, ", ")
	case entity.UUID:
		return "a UUID: 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	case entity.Integer:
		return "a whole number: 12"
	case entity.Decimal:
		if f.Unit != "" {
			return "a number in " + f.Unit + ": 12.5"
		}
		return "a number: 12.5"
	case entity.Boolean:
		return "yes or no, true or false, 1 or 0"
	case entity.Date:
		return "a date: 2026-01-31"
	case entity.Timestamp:
		return "a date, with or without a time: 2026-01-31 12:00:00"
	case entity.TextList:
		return "texts separated by |: go|aws"
	case entity.Reference:
		return "the name or the ID of an existing entry"
	default:
		return fmt.Sprintf("a text of up to %d characters", cmp.Or(f.MaxLength, maxText))
	}
}
