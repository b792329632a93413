package sfn_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
)

const (
	// waits is a machine that waits for an hour and then succeeds with its input.
	waits     = `{"StartAt":"S","States":{"S":{` + waitF + `,"TimeoutSeconds":3600,"Catch":[{"ErrorEquals":["States.Timeout"],"ResultPath":null,"Next":"D"}],"Next":"D"},` + succeedState + `}}`
	machineM  = "arn:aws:states:us-east-1:000000000000:stateMachine:m"
	execution = "arn:aws:states:us-east-1:000000000000:execution:m:"
)

// restingFunction is the function of the machine waits.
func restingFunction() map[string][]outcome { return map[string][]outcome{"f": {{result: `{}`}}} }

func TestStartExecution(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waits, restingFunction())
		request := map[string]any{"stateMachineArn": machineM, "name": "one", "input": `{"a":1}`}
		first := w.mustCall("StartExecution", request)
		require.Equal(t, map[string]any{"executionArn": execution + "one", "startDate": 946684800.0}, first)
		w.advance(time.Minute)
		require.Equal(t, first, w.mustCall("StartExecution", request), "starting with the same name and input returns the same execution")
		require.Len(t, w.eventTypes(execution+"one"), 5)
		other := map[string]any{"stateMachineArn": machineM, "name": "one", "input": `{"a": 1}`}
		fault := w.requireRefused("ExecutionAlreadyExists", "StartExecution", other)
		require.Equal(t, "Execution Already Exists: '"+execution+"one'", fault.Message)
		w.advance(time.Hour)
		w.requireRefused("ExecutionAlreadyExists", "StartExecution", request)
		unnamed := w.mustCall("StartExecution", map[string]any{"stateMachineArn": machineM})
		require.Len(t, unnamed["executionArn"], len(execution)+36)
		require.Equal(t, "{}", w.describe(unnamed["executionArn"].(string))["input"])
	})
}

func TestNameIsReusableAfter90Days(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, statesMachine(`"S":{"Type":"Pass","End":true}`), nil)
		request := map[string]any{"stateMachineArn": machineM, "name": "one", "input": `{"a":1}`}
		w.mustCall("StartExecution", request)
		w.advance(90*24*time.Hour - time.Second)
		w.requireRefused("ExecutionAlreadyExists", "StartExecution", request)
		w.advance(2 * time.Second)
		w.requireRefused("ExecutionDoesNotExist", "DescribeExecution", map[string]any{"executionArn": execution + "one"})
		w.mustCall("StartExecution", request)
		require.Len(t, w.eventTypes(execution+"one"), 4, "the previous execution's history is deleted")
		w.advance(92 * 24 * time.Hour)
		require.Zero(t, w.countKeys("sfn.history"), "the daily sweep deletes expired histories")
		require.Zero(t, w.countKeys("sfn.executions"))
		require.Zero(t, w.countKeys("sfn.listing"))
	})
}

func TestStartExecutionRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waits, restingFunction())
		for code, requests := range map[string][]map[string]any{
			"InvalidArn":                {{}, {"stateMachineArn": "m"}, {"stateMachineArn": execution + "one"}},
			"StateMachineDoesNotExist":  {{"stateMachineArn": machineM + "x"}, {"stateMachineArn": machineM + ":1"}, {"stateMachineArn": strings.Replace(machineM, "us-east-1", "eu-west-1", 1)}},
			"InvalidName":               {{"name": ""}, {"name": "a b"}, {"name": "a/b"}, {"name": "a:b"}, {"name": "a<"}, {"name": "a*"}, {"name": "a\x00"}, {"name": "a\u0085"}, {"name": `a\b`}},
			"InvalidExecutionInput":     {{"input": ""}, {"input": "not json"}, {"input": "{'a':1}"}, {"input": "{} {}"}},
			"ValidationException":       {{"name": strings.Repeat("n", 81)}, {"input": `"` + strings.Repeat("x", 262143) + `"`}, {"traceHeader": strings.Repeat("n", 257)}},
			"UnknownOperationException": {{"stateMachineVersion": 1}},
		} {
			for _, request := range requests {
				if request["stateMachineArn"] == nil && code != "InvalidArn" {
					request["stateMachineArn"] = machineM
				}
				w.requireRefused(code, "StartExecution", request)
			}
		}
		require.Zero(t, w.countKeys("sfn.executions"))
	})
}

func TestInputTypes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, statesMachine(`"S":{"Type":"Pass","End":true}`), nil)
		for i, input := range []string{`1.50`, `"text"`, `null`, `[1, 2]`, "{\n  \"b\": 1,\n  \"a\": \"<é>\"\n}", `"` + strings.Repeat("x", 262142) + `"`} {
			arn := w.startInput("m", fmt.Sprint("n", i), input)
			x := w.describe(arn)
			require.Equal(t, input, x["input"], "the input is returned unchanged")
			require.JSONEq(t, input, x["output"].(string))
			require.Equal(t, input, w.events(arn)[0].ExecutionStarted.Input.Input)
			require.Equal(t, input, w.events(arn)[1].StateEntered.Input.Input)
		}
	})
}

func TestStopExecution(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		definition string
		script     outcome
		events     int // before the stop
	}{
		"during an invocation":           {statesMachine(`"S":{` + invokeF + `}`), outcome{result: `{}`, after: time.Minute}, 4},
		"during a wait for a task token": {waitingMachine(``), outcome{result: `{}`}, 5},
		"before a retry":                 {statesMachine(`"S":{` + invokeF + `,"Retry":[{"ErrorEquals":["A"],"IntervalSeconds":60}]}`), failureOutcome("A"), 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t, c.definition, map[string][]outcome{"f": {c.script}})
				arn := w.start(`{}`)
				require.Len(t, w.eventTypes(arn), c.events)
				w.advance(time.Second)
				stopped := w.mustCall("StopExecution", map[string]any{"executionArn": arn, "error": "Cancelled", "cause": "by a person"})
				require.Equal(t, map[string]any{"stopDate": 946684801.0}, stopped)
				x := w.describe(arn)
				require.Equal(t, "ABORTED", x["status"])
				require.Equal(t, "Cancelled", x["error"])
				require.Equal(t, "by a person", x["cause"])
				w.advance(24 * time.Hour)
				events := w.events(arn)
				require.Len(t, events, c.events+1, "the stopped state adds no events")
				last := events[c.events]
				require.EqualValues(t, "ExecutionAborted", last.Type)
				require.Zero(t, last.PreviousEventID)
				require.Equal(t, "Cancelled", last.ExecutionAborted.Error)
				require.Equal(t, stopped, w.mustCall("StopExecution", map[string]any{"executionArn": arn}), "a second stop changes nothing")
				require.Len(t, w.events(arn), c.events+1)
			})
		})
	}
}

func TestListExecutions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarnessOf(t, []sfn.Machine{{Name: "m", Definition: waits}, {Name: "mm", Definition: waits}}, restingFunction())
		for i := range 5 {
			w.startInput("m", fmt.Sprint("n", i), `{}`)
			w.advance(time.Second)
		}
		w.startInput("mm", "other", `{}`)
		w.mustCall("StopExecution", map[string]any{"executionArn": execution + "n1"})
		w.mustCall("StopExecution", map[string]any{"executionArn": execution + "n3"})
		require.Equal(t, []string{"n4", "n3", "n2", "n1", "n0"}, w.listAll(map[string]any{}))
		require.Equal(t, []string{"n4", "n3", "n2", "n1", "n0"}, w.listAll(map[string]any{"maxResults": 2}))
		require.Equal(t, []string{"n4", "n2", "n0"}, w.listAll(map[string]any{"statusFilter": "RUNNING", "maxResults": 1}))
		require.Equal(t, []string{"n3", "n1"}, w.listAll(map[string]any{"statusFilter": "ABORTED", "maxResults": 2}))
		require.Empty(t, w.listAll(map[string]any{"statusFilter": "FAILED"}))
		item := w.mustCall("ListExecutions", map[string]any{"stateMachineArn": machineM, "statusFilter": "ABORTED", "maxResults": 1})["executions"].([]any)[0]
		require.Equal(t, map[string]any{"executionArn": execution + "n3", "stateMachineArn": machineM, "name": "n3", "status": "ABORTED",
			"startDate": 946684803.0, "stopDate": 946684805.0, "redriveCount": 0.0}, item)
		w.requireRefused("ValidationException", "ListExecutions", map[string]any{"stateMachineArn": machineM, "statusFilter": "running"})
		w.requireRefused("ValidationException", "ListExecutions", map[string]any{"stateMachineArn": machineM, "maxResults": 1001})
		w.requireRefused("ValidationException", "ListExecutions", map[string]any{"stateMachineArn": machineM, "maxResults": -1})
		w.requireRefused("InvalidToken", "ListExecutions", map[string]any{"stateMachineArn": machineM, "nextToken": "?"})
		w.requireRefused("StateMachineDoesNotExist", "ListExecutions", map[string]any{"stateMachineArn": machineM + "x"})
		w.requireRefused("UnknownOperationException", "ListExecutions", map[string]any{"stateMachineArn": machineM, "redriveFilter": "REDRIVEN"})
	})
}

// listAll reads all pages of ListExecutions.
func (w *harness) listAll(request map[string]any) []string {
	w.t.Helper()
	request["stateMachineArn"] = machineM
	var names []string
	for {
		answer := w.mustCall("ListExecutions", request)
		for _, x := range answer["executions"].([]any) {
			names = append(names, x.(map[string]any)["name"].(string))
		}
		if answer["nextToken"] == nil {
			return names
		}
		request["nextToken"] = answer["nextToken"]
	}
}

func TestGetExecutionHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, statesMachine(`"S":{`+invokeF+`}`), map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{"secret":1}`)
		require.Equal(t, []float64{1, 2, 3, 4, 5, 6, 7}, w.eventIDs(map[string]any{"executionArn": arn}))
		require.Equal(t, []float64{1, 2, 3, 4, 5, 6, 7}, w.eventIDs(map[string]any{"executionArn": arn, "maxResults": 3}))
		require.Equal(t, []float64{7, 6, 5, 4, 3, 2, 1}, w.eventIDs(map[string]any{"executionArn": arn, "maxResults": 3, "reverseOrder": true}))
		bare := fmt.Sprint(w.mustCall("GetExecutionHistory", map[string]any{"executionArn": arn, "includeExecutionData": false}))
		require.NotContains(t, bare, "secret")
		require.NotContains(t, bare, "Payload")
		require.Contains(t, bare, "roleArn")
		require.Contains(t, fmt.Sprint(w.mustCall("GetExecutionHistory", map[string]any{"executionArn": arn, "includeExecutionData": true})), "secret")
		w.requireRefused("InvalidToken", "GetExecutionHistory", map[string]any{"executionArn": arn, "nextToken": "x"})
		w.requireRefused("InvalidToken", "GetExecutionHistory", map[string]any{"executionArn": arn, "nextToken": "AAAAAAAAAAg="})
		w.requireRefused("ValidationException", "GetExecutionHistory", map[string]any{"executionArn": arn, "maxResults": 1001})
		w.requireRefused("ExecutionDoesNotExist", "GetExecutionHistory", map[string]any{"executionArn": arn + "x"})
		w.requireRefused("InvalidArn", "GetExecutionHistory", map[string]any{"executionArn": machineM})
	})
}

// eventIDs reads all pages of GetExecutionHistory.
func (w *harness) eventIDs(request map[string]any) []float64 {
	w.t.Helper()
	var ids []float64
	for {
		answer := w.mustCall("GetExecutionHistory", request)
		for _, e := range answer["events"].([]any) {
			ids = append(ids, e.(map[string]any)["id"].(float64))
		}
		if answer["nextToken"] == nil {
			return ids
		}
		request["nextToken"] = answer["nextToken"]
	}
}

func TestDescribeExecution(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waits, restingFunction())
		w.mustCall("StartExecution", map[string]any{"stateMachineArn": machineM, "name": "one", "input": `{"a": 1}`, "traceHeader": "Root=1"})
		want := map[string]any{
			"executionArn": execution + "one", "stateMachineArn": machineM, "name": "one", "status": "RUNNING", "startDate": 946684800.0,
			"input": `{"a": 1}`, "inputDetails": map[string]any{"included": true}, "traceHeader": "Root=1",
			"redriveCount": 0.0, "redriveStatus": "NOT_REDRIVABLE", "redriveStatusReason": "Execution is RUNNING and cannot be redriven",
		}
		require.Equal(t, want, w.describe(execution+"one"))
		w.advance(time.Hour)
		want["status"], want["stopDate"], want["redriveStatusReason"] = "SUCCEEDED", 946688400.0, "Execution is SUCCEEDED and cannot be redriven"
		want["output"], want["outputDetails"] = `{"a":1}`, map[string]any{"included": true}
		require.Equal(t, want, w.describe(execution+"one"))
		for _, member := range []string{"input", "inputDetails", "output", "outputDetails"} {
			delete(want, member)
		}
		require.Equal(t, want, w.mustCall("DescribeExecution", map[string]any{"executionArn": execution + "one", "includedData": "METADATA_ONLY"}))
		fault := w.requireRefused("ExecutionDoesNotExist", "DescribeExecution", map[string]any{"executionArn": execution + "x"})
		require.Equal(t, "Execution Does Not Exist: '"+execution+"x'", fault.Message)
		fault = w.requireRefused("InvalidArn", "DescribeExecution", map[string]any{"executionArn": "x"})
		require.Equal(t, "Invalid Arn: 'Invalid ARN prefix: x'", fault.Message)
		w.requireRefused("ValidationException", "DescribeExecution", map[string]any{"executionArn": execution + "one", "includedData": "SOME"})
	})
}

func TestStateMachines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarnessOf(t, []sfn.Machine{{Name: "m", Definition: waits}, {Name: "a", Definition: waits}}, restingFunction())
		arn := w.start(`{}`)
		described := w.mustCall("DescribeStateMachine", map[string]any{"stateMachineArn": machineM})
		require.Equal(t, waits, described["definition"])
		require.Equal(t, "ACTIVE", described["status"])
		require.Equal(t, "STANDARD", described["type"])
		require.Equal(t, 946684800.0, described["creationDate"])
		of := w.mustCall("DescribeStateMachineForExecution", map[string]any{"executionArn": arn})
		require.Equal(t, waits, of["definition"])
		require.Equal(t, 946684800.0, of["updateDate"])
		require.Empty(t, w.mustCall("DescribeStateMachine", map[string]any{"stateMachineArn": machineM, "includedData": "METADATA_ONLY"})["definition"])
		page := w.mustCall("ListStateMachines", map[string]any{"maxResults": 1})
		require.Equal(t, []any{map[string]any{"stateMachineArn": sfn.MachineARN("a"), "name": "a", "type": "STANDARD", "creationDate": 946684800.0}}, page["stateMachines"])
		page = w.mustCall("ListStateMachines", map[string]any{"maxResults": 1, "nextToken": page["nextToken"]})
		require.Len(t, page["stateMachines"], 1)
		require.NotContains(t, page, "nextToken")
		w.requireRefused("InvalidToken", "ListStateMachines", map[string]any{"nextToken": "zzz"})
		w.requireRefused("StateMachineDoesNotExist", "DescribeStateMachine", map[string]any{"stateMachineArn": machineM + "x"})
		w.requireRefused("ExecutionDoesNotExist", "DescribeStateMachineForExecution", map[string]any{"executionArn": arn + "x"})
	})
}

func TestUnknownOperationsAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waits, restingFunction())
		for _, operation := range []string{"CreateStateMachine", "DeleteStateMachine", "StartSyncExecution", "RedriveExecution", "GetActivityTask", "TagResource", "Nonsense", ""} {
			fault := w.requireRefused("UnknownOperationException", operation, map[string]any{})
			require.Contains(t, fault.Message, operation)
		}
		_, err := w.service.Call(t.Context(), "ListStateMachines", []byte("{"))
		require.ErrorContains(t, err, "SerializationException")
	})
}
