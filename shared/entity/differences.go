package entity

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// FieldComparison compares the stored value of a field with that of a row, both as SQL expressions.
type FieldComparison struct {
	Field       int // index
	Stored, Row string
}

// DifferingFields is the SQL expression of the indexes, separated by blanks, of the fields whose
// values differ. FieldTitles reads them.
func DifferingFields(comparisons []FieldComparison) string {
	cases := make([]string, len(comparisons))
	for i, c := range comparisons {
		cases[i] = fmt.Sprintf("CASE WHEN %s IS DISTINCT FROM %s THEN %d END", c.Stored, c.Row, c.Field)
	}
	return "concat_ws(' ', " + strings.Join(cases, ", ") + ")"
}

// FieldTitles returns the titles of the fields with the indexes that DifferingFields lists.
func (d *Declaration) FieldTitles(indexes []byte) (titles []string) {
	for _, text := range strings.Fields(string(indexes)) {
		if i, err := strconv.Atoi(text); err == nil {
			titles = append(titles, d.Fields[i].Title)
		}
	}
	return titles
}

// NameDifferences adds to the reason why a row was skipped the titles of the fields whose values
// were not saved.
func NameDifferences(reason rowwrite.Error, titles []string) rowwrite.Error {
	if len(titles) > 0 {
		reason.Message = fmt.Sprintf("%s, with another value of: %s. The values of this row were not saved.", strings.TrimSuffix(reason.Message, "."), strings.Join(titles, ", "))
	}
	return reason
}
