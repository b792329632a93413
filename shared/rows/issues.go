package rows

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// MaxIssues is the most rows that the result of an import lists issues of; the
// results of the job have them all, page by page.
const MaxIssues = 1000

// IssuesOf lists the issues of rows; the list is never nil. It reports whether there
// were more rows than MaxIssues: the others are left out.
func IssuesOf(remarks []job.RowResult) (issues []entity.Issue, truncated bool) {
	issues = []entity.Issue{}
	for _, row := range remarks[:min(len(remarks), MaxIssues)] {
		for _, f := range row.Errors {
			issues = append(issues, entity.Issue{
				RowNumber: row.Row, Outcome: row.Outcome.String(), Code: f.Code, Field: f.Field, Value: f.Value, Message: f.Message,
			})
		}
	}
	return issues, len(remarks) > MaxIssues
}
