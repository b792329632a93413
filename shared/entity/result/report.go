package result

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
)

// report is what the parts of an import leave behind.
type report struct {
	Categories          []category     `json:"categories"`
	NumberChanges       []numberChange `json:"numberChanges"`
	UnmatchedCategories []unmatched    `json:"unmatchedCategories"`
}

// category is what was written to one category.
type category struct {
	Name    string `json:"name"`
	Created int    `json:"created"`
	Updated int    `json:"updated"`
}

// unmatched is a category of the file that the event does not have.
type unmatched struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// response is the result of an import.
type response struct {
	Summary             summary        `json:"summary"`
	Categories          []category     `json:"categories"`
	NumberChanges       []numberChange `json:"numberChanges"`
	UnmatchedCategories []unmatched    `json:"unmatchedCategories"`
	Reconciliation      reconciliation `json:"reconciliation"`
	Issues              []entity.Issue `json:"issues"`
	IssuesTruncated     bool           `json:"issuesTruncated"`
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

// Report makes the response.
func (*Type) Report(left json.RawMessage, s entity.Summary) (any, error) {
	r := report{}
	if len(left) > 0 {
		if err := json.Unmarshal(left, &r); err != nil {
			return nil, fmt.Errorf("read what the last part left: %w", err)
		}
	}
	out := &response{
		Summary: summary{
			TotalRows: s.TotalRows, Created: s.Created, Updated: s.Updated, Skipped: s.Skipped, Errors: s.Errors,
			IssueCount: len(s.Issues), NumberChangeCount: len(r.NumberChanges),
		},
		Categories: orEmpty(r.Categories), NumberChanges: orEmpty(r.NumberChanges), UnmatchedCategories: orEmpty(r.UnmatchedCategories),
		Reconciliation: reconciliation{
			FileLines: s.FileLines, SuccessCount: s.Created + s.Updated, SkippedCount: s.Skipped,
			BlankLines: s.BlankLines, HeaderRows: s.HeaderRows, ErrorCount: s.Errors,
		},
		Issues: s.Issues, IssuesTruncated: s.IssuesTruncated,
	}
	for _, c := range r.NumberChanges {
		if c.Kind == simple {
			out.Summary.NumberChangesSimple++
		}
		if c.Applied {
			out.Summary.NumberChangesApplied++
		}
	}
	return out, nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// category returns the entry of a category, which it makes where there is none.
func (r *report) category(name string) *category {
	for i := range r.Categories {
		if r.Categories[i].Name == name {
			return &r.Categories[i]
		}
	}
	r.Categories = append(r.Categories, category{Name: name})
	return &r.Categories[len(r.Categories)-1]
}

func (r *report) unmatched(name string) *unmatched {
	for i := range r.UnmatchedCategories {
		if strings.EqualFold(r.UnmatchedCategories[i].Name, name) {
			return &r.UnmatchedCategories[i]
		}
	}
	r.UnmatchedCategories = append(r.UnmatchedCategories, unmatched{Name: name})
	return &r.UnmatchedCategories[len(r.UnmatchedCategories)-1]
}
