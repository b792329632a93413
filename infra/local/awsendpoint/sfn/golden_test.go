package sfn_test

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The complete history of one import: a retry, a person's decision after a day, an error by
// token, the Catch, the end. Types, numbers and details of the events are those of published
// recordings of the real service.
func TestHistoryGolden(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/history.json")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		i := newImport(t, map[string][]outcome{"analyze": {failureOutcome("Transient"), nextState("COLUMN_MAPPING")}})
		i.advance(24 * time.Hour)
		i.confirm(`{"next":"CELL_MAPPING"}`)
		i.mustCall("SendTaskFailure", map[string]any{"taskToken": i.functions.lastToken(t, "await"), "error": "ROWS_LOST", "cause": "3 rows have no outcome"})
		i.failed(failedImportCause)
		answer := i.mustCall("GetExecutionHistory", map[string]any{"executionArn": i.arn})
		got, err := json.MarshalIndent(answer["events"], "", "  ")
		require.NoError(t, err)
		require.Equal(t, string(want), normalized(got))
	})
}

// normalized replaces values that differ between runs: tokens and request ids.
func normalized(history []byte) string {
	text := regexp.MustCompile(`(taskToken\\":\\")[A-Za-z0-9+/=]+`).ReplaceAllString(string(history), "${1}TOKEN")
	text = regexp.MustCompile(`((RequestId|x-amzn-RequestId)\\":\[?\\")[0-9a-f-]{36}`).ReplaceAllString(text, "${1}REQUEST")
	return text + "\n"
}
