package result

import (
	"encoding/json"
	"fmt"

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
	// Calculator computes the points, as it was when the first part was written.
	Calculator *points.Calculator `json:"calculator"`

	categoryIndex map[string]int // index in Categories by name
}

// categoryCounts counts the results written to one category.
type categoryCounts struct {
	Name    string `json:"name"`
	Created int    `json:"created"`
	Updated int    `json:"updated"`
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
	Skipped              int64 `json:"skipped"`
	Errors               int64 `json:"errors"`
	IssueCount           int   `json:"issueCount"`
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
	return &response{
		Summary: summary{
			TotalRows: s.TotalRows, Created: s.Created, Updated: s.Updated, Skipped: s.Skipped, Errors: s.Errors, IssueCount: len(s.Issues),
			NumberChangeCount: n.Count, NumberChangesSimple: n.Simple, NumberChangesApplied: n.Applied, UnmatchedCategoryCount: r.UnmatchedCount,
		},
		Categories: nonNil(r.Categories[:min(maxListed, len(r.Categories))]), NumberChanges: nonNil(n.Listed), UnmatchedCategories: nonNil(r.Unmatched),
		Reconciliation: reconciliation{
			FileLines: s.FileLines, SuccessCount: s.Created + s.Updated, SkippedCount: s.Skipped,
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
