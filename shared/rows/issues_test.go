package rows_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
)

// Each of many rows may have an error in every column, and a result is sent to the caller in
// one piece.
func TestIssuesAreBoundedBySize(t *testing.T) {
	t.Parallel()
	fault := rowwrite.Error{Code: "CELL_PATTERN", Field: "FIELD", Value: strings.Repeat("v", 100), Message: strings.Repeat("m", 200)}
	remarks := make([]job.RowResult, rows.MaxIssues)
	for i := range remarks {
		remarks[i] = job.RowResult{Row: int64(i + 2), Outcome: rowwrite.Errored, Errors: []rowwrite.Error{fault}}
	}
	issues, truncated := rows.ListIssues(remarks)
	require.Len(t, issues, rows.MaxIssues)
	require.False(t, truncated)
	for i := range remarks {
		for range 24 {
			remarks[i].Errors = append(remarks[i].Errors, fault)
		}
	}
	issues, truncated = rows.ListIssues(remarks)
	require.True(t, truncated)
	require.Zero(t, len(issues)%25, "a row is listed with all of its issues")
	text, err := json.Marshal(issues)
	require.NoError(t, err)
	require.Less(t, len(text), 2<<20)
}
