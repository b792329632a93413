package job_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

// docs/events.md shows every field of an event, and the names of each status.
func TestEventsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/events.md")
	require.NoError(t, err)
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, example)
	decoder := json.NewDecoder(bytes.NewReader(example[1]))
	decoder.DisallowUnknownFields()
	var e job.Event
	require.NoError(t, decoder.Decode(&e))
	e.Counts.Balance()
	require.Zero(t, e.Counts.Unprocessed, "the counts of the example add up")

	for _, kind := range []reflect.Type{reflect.TypeFor[job.Event](), reflect.TypeFor[job.EventCounts](), reflect.TypeFor[job.ExportEvent]()} {
		for _, field := range reflect.VisibleFields(kind) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			require.Regexp(t, "[\"`]"+name+"[\"`]", string(text), "%s.%s", kind, field.Name)
		}
	}
	for _, status := range []job.Status{job.ColumnMapping, job.CellMapping, job.AwaitingApproval, job.Completed, job.Failed, job.Cancelled} {
		require.Regexp(t, `(?m)^\|.*`+string(status)+`.*\| `+"`"+status.EventTitle()+"` \\| `"+status.EventType()+"` \\|$", string(text))
	}
}
