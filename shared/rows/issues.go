package rows

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// MaxIssues is the maximum number of rows with issues in the result of an import. The results
// endpoint of the job pages through all of them.
const MaxIssues = 1000

// maxIssueBytes is the approximate size limit of the issues in a result, which is sent to the
// caller in one piece: each of a thousand rows may have an error in every column.
const maxIssueBytes = 1 << 20

// ListIssues returns the issues of rows; the list is never nil. truncated reports whether rows
// were omitted because there are more than MaxIssues or they exceed the size limit.
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
				RowNumber: row.Row, Outcome: row.Outcome.String(), Code: string(f.Code), Field: f.Field, Value: f.Value, Message: f.Message,
			})
		}
	}
	return issues, len(remarks) > MaxIssues
}
