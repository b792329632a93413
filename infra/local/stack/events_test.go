package stack

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPublishedEventsAreShown(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]string{
		`"status":"COLUMN_MAPPING"`:                                   "import 0193 (USER, organisation 2) waits for answers about its columns",
		`"status":"CELL_MAPPING"`:                                     "import 0193 (USER, organisation 2) waits for answers about its values",
		`"status":"AWAITING_APPROVAL"`:                                "import 0193 (USER, organisation 2) waits for the approval of its plan",
		`"status":"COMPLETED","counts":{"created":3,"errors":1}`:      "import 0193 (USER, organisation 2) completed: 3 created, 1 with errors",
		`"status":"COMPLETED","dryRun":true,"counts":{"total":0}`:     "dry run 0193 (USER, organisation 2) completed: no rows",
		`"status":"COMPLETED","undoOf":"0192","counts":{"updated":2}`: "undo 0193 (USER, organisation 2) completed: 2 updated",
		`"status":"FAILED","failureCode":"FILE_EMPTY","counts":{}`:    "import 0193 (USER, organisation 2) failed: FILE_EMPTY",
		`"status":"CANCELLED"`:                                        "import 0193 (USER, organisation 2) cancelled",
	} {
		var shown bytes.Buffer
		s := &Stack{logs: newLogWriter(t.TempDir(), &shown)}
		s.showPublished(fmt.Appendf(nil, `{"detail-type":"Import","detail":{"jobId":"0193","organisationId":2,"importType":"USER",%s}}`, detail))
		require.Regexp(t, `^\d\d:\d\d:\d\d  INFO   `, shown.String())
		require.Equal(t, want+"\n", shown.String()[len("00:00:00  INFO   "):])
	}
	var shown bytes.Buffer
	s := &Stack{logs: newLogWriter(t.TempDir(), &shown)}
	s.showPublished([]byte(`{"detail":{"other":1}}`))
	require.Empty(t, shown.String())
}
