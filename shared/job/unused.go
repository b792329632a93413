package job

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/loadbay/loadbay/shared/problem"
)

// UnusedColumn is a column with values that no field receives, although nobody has decided to
// ignore it.
type UnusedColumn struct {
	Name   string `json:"name"`   // its header, or its name in a mapping if that differs: "Notes#2", "#3"
	Values int64  `json:"values"` // non-blank cells, as far as the file was read
}

// Warning returns the warning about the column, beginning with its code. All rows must have been
// counted.
func (c UnusedColumn) Warning() string {
	return fmt.Sprintf("%s: column %.60q with %s is not used", problem.ColumnUnused, c.Name, c.Count())
}

// Count describes the number of values.
func (c UnusedColumn) Count() string {
	if c.Values == 1 {
		return "1 value"
	}
	return fmt.Sprintf("%d values", c.Values)
}

var unusedPattern = regexp.MustCompile(`^` + string(problem.ColumnUnused) + `: column (".*") with (\d+) values? is not used$`)

// WarnedColumns returns the unused columns that warnings name.
func WarnedColumns(warnings []string) (unused []UnusedColumn) {
	for _, w := range warnings {
		match := unusedPattern.FindStringSubmatch(w)
		if match == nil {
			continue
		}
		name, err := strconv.Unquote(match[1])
		values, tooLarge := strconv.ParseInt(match[2], 10, 64)
		if err == nil && tooLarge == nil {
			unused = append(unused, UnusedColumn{Name: name, Values: values})
		}
	}
	return unused
}
