package result

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
)

// Warnings tells what the import did to results that its rows do not mention, which points are
// missing, and whether the times are ambiguous.
func (*Type) Warnings(left json.RawMessage) ([]string, error) {
	r := report{}
	if len(left) > 0 {
		if err := json.Unmarshal(left, &r); err != nil {
			return nil, fmt.Errorf("read state of the last part: %w", err)
		}
	}
	var found []string
	add := func(code problem.Code, text string, of func(*categoryCounts) int) {
		if n, where := r.sum(of); n > 0 {
			found = append(found, fmt.Sprintf("%s: %s", code, fmt.Sprintf(text, n, where)))
		}
	}
	kept := "%d results of participants who are not in the file stay (%s). If they are wrong, import the whole list with complete=true."
	if r.RefusedRows > 0 {
		kept = "%d results of participants who are not in the file stay (%s). Import the list with complete=true and without errors to remove them."
	}
	add(problem.ResultsKept, kept, func(c *categoryCounts) int { return c.Kept })
	add(problem.ResultsRemoved, "%d results of participants who are not in the file were removed (%s).", func(c *categoryCounts) int { return c.Removed })
	add(problem.ResultElsewhere, "%d participants (%s) also have a result in a category that is not in the file. If they moved, remove it: import the list of that category with complete=true.", func(c *categoryCounts) int { return c.Elsewhere })
	add(problem.PointsRemoved, "%d results lost their points (%s). Import the file with a points calculator to compute them.", func(c *categoryCounts) int { return c.PointsRemoved })
	add(problem.PointsIncomplete, "The points need the time of the winner, which is missing in %d categories (%s).", func(c *categoryCounts) int {
		if c.WinnerWithoutTime {
			return 1
		}
		return 0
	})
	if r.ShortTimes > 0 {
		found = append(found, fmt.Sprintf("%s: All %d times were read as minutes and seconds. If they are hours and minutes, write them as h:mm:ss and import the file again.", problem.TimeUnitUnsure, r.ShortTimes))
	}
	return found, nil
}

// maxNamed is the maximum number of categories that a warning names.
const maxNamed = 10

// sum adds a count of all categories, and lists those with the count.
func (r *report) sum(of func(*categoryCounts) int) (n int, where string) {
	var names []string
	for i := range r.Categories {
		c := &r.Categories[i]
		if of(c) == 0 {
			continue
		}
		n += of(c)
		if len(names) == maxNamed {
			names = append(names, "…")
		} else if len(names) < maxNamed {
			names = append(names, fmt.Sprintf("%.60s", c.Name))
		}
	}
	return n, strings.Join(names, ", ")
}
