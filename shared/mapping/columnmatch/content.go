package columnmatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// ContraryColumn is a column that was matched by its header, although its field accepts hardly any
// of its values.
type ContraryColumn struct {
	Name  string // its header, or its name in a mapping if that differs
	Field *entity.Field
}

// ContraryColumns returns the contrary columns, in file order. Values of fields that people map to
// words or entities are asked about or reported one by one.
func ContraryColumns(d *entity.Declaration, columns []job.MappedColumn) (contrary []ContraryColumn) {
	names := namesOf(columns)
	for i := range columns {
		c := &columns[i]
		at := d.FieldIndex(c.TargetField)
		if at < 0 || c.ColumnIndex < 0 || !matchedByHeader(c) || d.Fields[at].HasMappableValues() || !slices.Contains(c.Content.Warnings, string(problem.ColumnContent)) {
			continue
		}
		contrary = append(contrary, ContraryColumn{Name: names(c), Field: &d.Fields[at]})
	}
	return contrary
}

func matchedByHeader(c *job.MappedColumn) bool {
	return c.MatchedBy == job.ByExact || c.MatchedBy == job.ByAlias || c.MatchedBy == job.BySimilar
}

// ContraryWarnings returns a warning for each contrary column, beginning with its code.
func ContraryWarnings(contrary []ContraryColumn) (lines []string) {
	for i, c := range contrary {
		if i == maxListed {
			return append(lines, fmt.Sprintf("%s: %d more columns have hardly any value that is valid for their fields", problem.ColumnContent, len(contrary)-i))
		}
		lines = append(lines, fmt.Sprintf("%s: column %.60q is used for %s, but hardly any of its values is valid for it", problem.ColumnContent, c.Name, c.Field.Title))
	}
	return lines
}

// ContraryError returns the error of a strict import with contrary columns; nil if there are none, or
// the import is not strict.
func ContraryError(options job.StoredOptions, contrary []ContraryColumn) error {
	if len(contrary) == 0 || !options.IsStrict() {
		return nil
	}
	names := make([]string, 0, maxNamed)
	for _, c := range contrary[:min(maxNamed, len(contrary))] {
		names = append(names, fmt.Sprintf("%.60q (%s)", c.Name, c.Field.Title))
	}
	if more := len(contrary) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	fault := problem.New(problem.ColumnContent, "The import is strict, and hardly any value of these columns is valid for the field: %s. Match or ignore them in the mapping, or turn strict off.", strings.Join(names, ", "))
	fault.Unlogged = true
	for _, c := range contrary[:min(maxListed, len(contrary))] {
		fault.With(c.Field.Name, problem.ColumnContent, "Hardly any value of its column is valid for this field.")
	}
	return fault
}
