package result

import (
	"encoding/json"
	"fmt"
	"github.com/loadbay/loadbay/shared/job/rowwrite"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/points"
)

// report is the state that the parts of an import pass on.
type report struct {
	Categories    []categoryCounts `json:"categories"`
	NumberChanges *numberChanges   `json:"numberChanges"`
	// Unmatched lists the first categories of the file that do not exist in the event.
	Unmatched      []unmatched `json:"unmatchedCategories"`
	UnmatchedCount int         `json:"unmatchedCategoryCount"`
	// Calculator computes the points, as it was when the first part was written; nil if the request
	// names none.
	Calculator *points.Calculator `json:"calculator"`

	// RefusedRows is the number of rows that cannot be written, if the file is complete apart from
	// them.
	RefusedRows int `json:"refusedRows,omitempty"`

	// ShortTimes is the number of times of the file if all of them may consist of hours and minutes.
	ShortTimes int `json:"shortTimes,omitempty"`

	categoryIndex map[string]int // index in Categories by name
}

// categoryCounts counts the results of one category.
type categoryCounts struct {
	Name      string `json:"name"`
	Created   int    `json:"created"`
	Updated   int    `json:"updated"`
	Unchanged int    `json:"unchanged"`
	// Results of participants who are not in the file: unchanged in their place and time, deleted,
	// and with a new position or new points.
	Kept         int `json:"kept"`
	Removed      int `json:"removed"`
	Recalculated int `json:"recalculated"`
	// Elsewhere counts the participants of the file who also have a result in a category that is not
	// in the file.
	Elsewhere int `json:"elsewhere,omitempty"`
	// Results is the number of results of the category after the import.
	Results int `json:"results"`
	// PointsRemoved counts the results of the category that lost their points.
	PointsRemoved int `json:"pointsRemoved"`
	// WinnerWithoutTime is true if the points need the winner's time, which is unknown.
	WinnerWithoutTime bool `json:"winnerWithoutTime"`
}

// add adds the effects of a part beyond its rows.
func (c *categoryCounts) add(list listEffect, score scoreEffect) {
	c.Kept, c.Removed = list.kept, c.Removed+list.removed
	c.PointsRemoved, c.WinnerWithoutTime = c.PointsRemoved+score.cleared, score.winnerNoTime
}

// count counts a row and returns its outcome.
func (c *categoryCounts) count(existed, same bool) rowwrite.Outcome {
	switch {
	case existed && same:
		c.Unchanged++
		return rowwrite.Unchanged
	case existed:
		c.Updated++
		return rowwrite.Updated
	}
	c.Created++
	return rowwrite.Created
}

// unmatched is a category of the file that does not exist in the event.
type unmatched struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// response is the result of an import.
type response struct {
	Summary             summary          `json:"summary"`
	Categories          []categoryCounts `json:"categories"`
	NumberChanges       []numberChange   `json:"numberChanges"`
	UnmatchedCategories []unmatched      `json:"unmatchedCategories"`
	Reconciliation      reconciliation   `json:"reconciliation"`
	Issues              []entity.Issue   `json:"issues"`
	IssuesTruncated     bool             `json:"issuesTruncated"`

	// Lists longer than maxListed contain only their first entries.
	CategoriesTruncated          bool `json:"categoriesTruncated"`
	NumberChangesTruncated       bool `json:"numberChangesTruncated"`
	UnmatchedCategoriesTruncated bool `json:"unmatchedCategoriesTruncated"`
}

type summary struct {
	TotalRows            int64 `json:"totalRows"`
	Created              int64 `json:"created"`
	Updated              int64 `json:"updated"`
	Unchanged            int64 `json:"unchanged"`
	Kept                 int   `json:"kept"`         // results of participants who are not in the file
	Removed              int   `json:"removed"`      // and those of them that were deleted
	Recalculated         int   `json:"recalculated"` // and those with a new position or new points
	Skipped              int64 `json:"skipped"`
	Errors               int64 `json:"errors"`
	IssueCount           int64 `json:"issueCount"`
	NumberChangeCount    int   `json:"numberChangeCount"`
	NumberChangesSimple  int   `json:"numberChangesSimple"`
	NumberChangesApplied int   `json:"numberChangesApplied"`

	UnmatchedCategoryCount int `json:"unmatchedCategoryCount"`
}

// reconciliation accounts for every line of the file:
// fileLines = successCount + skippedCount + errorCount + blankLines + headerRows.
type reconciliation struct {
	FileLines    int64 `json:"fileLines"`
	SuccessCount int64 `json:"successCount"`
	SkippedCount int64 `json:"skippedCount"`
	BlankLines   int64 `json:"blankLines"`
	HeaderRows   int64 `json:"headerRows"`
	ErrorCount   int64 `json:"errorCount"`
}

// Report returns the response.
func (*Type) Report(left json.RawMessage, s entity.Summary) (any, error) {
	r := report{NumberChanges: &numberChanges{}}
	if len(left) > 0 {
		if err := json.Unmarshal(left, &r); err != nil {
			return nil, fmt.Errorf("read state of the last part: %w", err)
		}
	}
	n := r.NumberChanges
	var all categoryCounts
	for _, c := range r.Categories {
		all.Kept, all.Removed, all.Recalculated = all.Kept+c.Kept, all.Removed+c.Removed, all.Recalculated+c.Recalculated
	}
	return &response{
		Summary: summary{
			TotalRows: s.TotalRows, Created: s.Created, Updated: s.Updated, Unchanged: s.Unchanged, Skipped: s.Skipped, Errors: s.Errors,
			Kept: all.Kept, Removed: all.Removed, Recalculated: all.Recalculated, IssueCount: s.IssueCount,
			NumberChangeCount: n.Count, NumberChangesSimple: n.Simple, NumberChangesApplied: n.Applied, UnmatchedCategoryCount: r.UnmatchedCount,
		},
		Categories: nonNil(r.Categories[:min(maxListed, len(r.Categories))]), NumberChanges: nonNil(n.Listed), UnmatchedCategories: nonNil(r.Unmatched),
		Reconciliation: reconciliation{
			FileLines: s.FileLines, SuccessCount: s.Created + s.Updated + s.Unchanged, SkippedCount: s.Skipped,
			BlankLines: s.BlankLines, HeaderRows: s.HeaderRows, ErrorCount: s.Errors,
		},
		Issues: s.Issues, IssuesTruncated: s.IssuesTruncated,
		CategoriesTruncated: len(r.Categories) > maxListed, NumberChangesTruncated: n.Count > len(n.Listed),
		UnmatchedCategoriesTruncated: r.UnmatchedCount > len(r.Unmatched),
	}, nil
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// categoryFor returns the counts of a category, which it adds if necessary.
func (r *report) categoryFor(name string) *categoryCounts {
	if r.categoryIndex == nil {
		r.categoryIndex = make(map[string]int, len(r.Categories))
		for i, c := range r.Categories {
			r.categoryIndex[c.Name] = i
		}
	}
	i, ok := r.categoryIndex[name]
	if !ok {
		i = len(r.Categories)
		r.Categories = append(r.Categories, categoryCounts{Name: name})
		r.categoryIndex[name] = i
	}
	return &r.Categories[i]
}

// countUnmatched counts the rows of categories that do not exist in the event, regardless of other
// errors of the rows.
func (r *report) countUnmatched(lines []*line, known map[string]entity.Candidate) {
	places := make(map[string]int)
	for _, l := range lines {
		if _, ok := known[l.category]; ok {
			continue
		}
		i, ok := places[l.category]
		if !ok {
			i = len(places)
			places[l.category] = i
			if i < maxListed {
				r.Unmatched = append(r.Unmatched, unmatched{Name: l.name})
			}
		}
		if i < maxListed {
			r.Unmatched[i].Rows++
		}
	}
	r.UnmatchedCount = len(places)
}
