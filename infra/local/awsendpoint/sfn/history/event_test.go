package history_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
)

func TestTimestamp(t *testing.T) {
	t.Parallel()
	for text, at := range map[string]time.Time{
		"0.000":          time.Unix(0, 0),
		"1700000000.123": time.UnixMilli(1700000000123),
		"1700000000.999": time.Unix(1700000000, 999999999),
		"4102444800.007": time.UnixMilli(4102444800007),
	} {
		got, err := json.Marshal(history.Timestamp(at))
		require.NoError(t, err)
		require.Equal(t, text, string(got))
		var back history.Timestamp
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, at.UnixMilli(), time.Time(back).UnixMilli())
	}
	require.Error(t, json.Unmarshal([]byte(`"2020-01-01T00:00:00Z"`), new(history.Timestamp)))
}

// An event in wire format, with and without data.
func TestEvents(t *testing.T) {
	t.Parallel()
	task := history.Task{ResourceType: "lambda", Resource: "invoke"}
	output := history.NewOutput(`{"x":1}`)
	for kind, c := range map[history.Type]struct {
		details    history.Details
		full, bare string
	}{
		history.ExecutionStarted: {history.Details{ExecutionStarted: &history.Started{Input: history.NewInput("{}"), RoleARN: "r"}},
			`"executionStartedEventDetails":{"input":"{}","inputDetails":{"truncated":false},"roleArn":"r"}`, `"executionStartedEventDetails":{"roleArn":"r"}`},
		history.ExecutionSucceeded: {history.Details{ExecutionSucceeded: &output},
			`"executionSucceededEventDetails":{"output":"{\"x\":1}","outputDetails":{"truncated":false}}`, `"executionSucceededEventDetails":{}`},
		history.ExecutionFailed: {history.Details{ExecutionFailed: &history.Failure{Error: "E", Cause: "c"}},
			`"executionFailedEventDetails":{"error":"E","cause":"c"}`, `"executionFailedEventDetails":{"error":"E","cause":"c"}`},
		history.ExecutionAborted: {history.Details{ExecutionAborted: &history.Failure{}},
			`"executionAbortedEventDetails":{}`, `"executionAbortedEventDetails":{}`},
		history.EnteredType("Choice"): {history.Details{StateEntered: &history.StateEntered{Name: "S", Input: history.NewInput("{}")}},
			`"stateEnteredEventDetails":{"name":"S","input":"{}","inputDetails":{"truncated":false}}`, `"stateEnteredEventDetails":{"name":"S"}`},
		history.ExitedType("Choice"): {history.Details{StateExited: &history.StateExited{Name: "S", Output: output}},
			`"stateExitedEventDetails":{"name":"S","output":"{\"x\":1}","outputDetails":{"truncated":false}}`, `"stateExitedEventDetails":{"name":"S"}`},
		history.TaskScheduled: {history.Details{TaskScheduled: &history.Scheduled{Task: task, Region: "us-east-1", Parameters: "{}", TimeoutInSeconds: 5}},
			`"taskScheduledEventDetails":{"resourceType":"lambda","resource":"invoke","region":"us-east-1","parameters":"{}","timeoutInSeconds":5}`,
			`"taskScheduledEventDetails":{"resourceType":"lambda","resource":"invoke","region":"us-east-1","parameters":"","timeoutInSeconds":5}`},
		history.TaskStarted: {history.Details{TaskStarted: &task},
			`"taskStartedEventDetails":{"resourceType":"lambda","resource":"invoke"}`, `"taskStartedEventDetails":{"resourceType":"lambda","resource":"invoke"}`},
		history.TaskSubmitted: {history.Details{TaskSubmitted: &history.TaskOutput{Task: task, Output: output}},
			`"taskSubmittedEventDetails":{"resourceType":"lambda","resource":"invoke","output":"{\"x\":1}","outputDetails":{"truncated":false}}`,
			`"taskSubmittedEventDetails":{"resourceType":"lambda","resource":"invoke"}`},
		history.TaskSucceeded: {history.Details{TaskSucceeded: &history.TaskOutput{Task: task, Output: output}},
			`"taskSucceededEventDetails":{"resourceType":"lambda","resource":"invoke","output":"{\"x\":1}","outputDetails":{"truncated":false}}`,
			`"taskSucceededEventDetails":{"resourceType":"lambda","resource":"invoke"}`},
		history.TaskFailed: {history.Details{TaskFailed: &history.TaskFailure{Task: task, Failure: history.Failure{Error: "E"}}},
			`"taskFailedEventDetails":{"resourceType":"lambda","resource":"invoke","error":"E"}`, `"taskFailedEventDetails":{"resourceType":"lambda","resource":"invoke","error":"E"}`},
	} {
		e := history.Event{Timestamp: history.Timestamp(time.UnixMilli(1500)), Type: kind, ID: 2, PreviousEventID: 1, Details: c.details}
		head := `{"timestamp":1.500,"type":"` + string(kind) + `","id":2,"previousEventId":1,`
		full, err := json.Marshal(e)
		require.NoError(t, err)
		require.Equal(t, head+c.full+"}", string(full))
		bare, err := json.Marshal(e.WithoutData())
		require.NoError(t, err)
		require.Equal(t, head+c.bare+"}", string(bare))
		again, err := json.Marshal(e)
		require.NoError(t, err)
		require.Equal(t, full, again, "the original event is unchanged")
	}
}
