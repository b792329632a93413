package rows

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// MaxIssues is the most rows that the result of an import lists issues of; the
// results of the job have them all, page by page.
const MaxIssues = 1000

// maxIssueBytes is about the most that they may take in a result, which goes to the
// caller in one piece: each of a thousand rows may have a fault in every column.
const maxIssueBytes = 1 << 20

// ListIssues lists the issues of rows; the list is never nil. It reports whether there
// were more rows than MaxIssues or more to say than fits: the others are left out.
func ListIssues(remarks []job.RowResult) (issues []entity.Issue, truncated bool) {
	issues = []entity.Issue{}
	size := 0
	for _, row := range remarks[:min(len(remarks), MaxIssues)] {
		for _, f := range row.Errors {
			size += len(f.Code) + len(f.Field) + len(f.Value) + len(f.Message)
		}
		if size > maxIssueBytes && len(issues) > 0 {
			return issues, true
		}
		for _, f := range row.Errors {
			issues = append(issues, entity.Issue{
				RowNumber: row.Row, Outcome: row.Outcome.String(), Code: f.Code, Field: f.Field, Value: f.Value, Message: f.Message,
			})
		}
	}
	return issues, len(remarks) > MaxIssues
}
