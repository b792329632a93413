package rows

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// TestDescribeField: descriptions contain an example or the relevant limit.
func TestDescribeField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field entity.Field
		code  problem.Code
		want  string
	}{
		{entity.Field{Pattern: "^[0-9]{6}$", FormatHint: "six digits: 110001"}, problem.CellPattern, "No. Enter six digits: 110001."},
		{entity.Field{MaxLength: 50}, problem.CellTooLong, "No. At most 50 characters are allowed."},
		{entity.Field{Kind: entity.Integer}, problem.CellPrecision, "This is not a whole number, such as 12, or it has lost digits. Format cells with long numbers as text."},
		{entity.Field{Kind: entity.Date}, problem.CellPrecision, "The column requires a date without a time: 2026-01-31."},
		{entity.Field{Kind: entity.Decimal}, problem.CellPrecision, "No."},
		{entity.Field{Kind: entity.Enum, Enum: []string{"A", "B"}}, problem.CellEnum, "No. Enter one of A, B."},
	} {
		require.Equal(t, c.want, explainError(&c.field, c.code, "No."))
	}
}

// TestCellMessagesAreComplete: for each field of each type and each code that a cell can have,
// the message names the field, is a sentence, describes the accepted values, and is translated.
func TestCellMessagesAreComplete(t *testing.T) {
	t.Parallel()
	codes := []problem.Code{
		problem.CellRequired, problem.CellFormula, problem.CellError, problem.CellDate, problem.CellNumber, problem.CellBoolean, problem.CellEnum,
		problem.CellEmail, problem.CellUUID, problem.CellRange, problem.CellTooSmall, problem.CellTooLarge, problem.CellNUL, problem.CellTooLong,
		problem.CellPattern, problem.CellList, problem.CellNested, problem.CellPrecision,
	}
	whole := regexp.MustCompile(`^[A-Z][A-Za-z ]*[0-9]?: [A-Z].*[a-zA-Z0-9.|!)]\.$`)
	for _, kind := range catalog.New().Types() {
		d := kind.Declaration()
		words := ErrorFormatter{declaration: d}
		for i := range d.Fields {
			f := &d.Fields[i]
			for _, code := range codes {
				if code == problem.CellTooSmall && f.Min == "" || code == problem.CellTooLarge && f.Max == "" {
					continue // no cell of the field has this code
				}
				text := words.Format(2, rowwrite.Error{Code: code, Field: f.Name, Message: explainError(f, code, value.ExplainCode(code))}).Message
				require.Regexp(t, whole, text, "%s of %s", code, f.Name)
				require.NotRegexp(t, `%!|\[|\]|  `, text)
				require.NotEqual(t, value.ExplainCode(""), value.ExplainCode(code), "%s has its own explanation", code)
				for _, l := range translation.Languages() {
					_, ok := l.Lookup(text)
					require.True(t, ok, "%s: %s", l, text)
				}
			}
			require.Contains(t, explainError(f, problem.CellRequired, "No."), describeField(f))
		}
	}
}
