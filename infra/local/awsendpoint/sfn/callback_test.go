package sfn_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const waitF = `"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken","Parameters":{"FunctionName":"f","Payload":{"taskToken.$":"$$.Task.Token"}}`

func waitingMachine(fields string) string {
	return statesMachine(`"S":{` + waitF + fields + `,"End":true}`)
}

func (w *harness) succeedTask(token, output string) {
	w.t.Helper()
	require.Empty(w.t, w.mustCall("SendTaskSuccess", map[string]any{"taskToken": token, "output": output}))
	synctest.Wait()
}

func TestCallbackSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waitingMachine(`,"ResultSelector":{"n.$":"$.next"},"ResultPath":"$.r"`), map[string][]outcome{"f": {{result: `{"ignored":true}`}}})
		arn := w.start(`{"id":7}`)
		require.Equal(t, []string{"ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSubmitted"}, w.eventTypes(arn))
		events := w.events(arn)
		require.Contains(t, events[4].TaskSubmitted.Output.Output, `"Payload":{"ignored":true}`)
		require.Equal(t, "invoke.waitForTaskToken", events[2].TaskScheduled.Resource)
		w.advance(400 * 24 * time.Hour)
		w.succeedTask(w.functions.lastToken(t, "f"), `{"next":"X","more":1}`)
		require.JSONEq(t, `{"id":7,"r":{"n":"X"}}`, w.describe(arn)["output"].(string))
		require.Equal(t, []string{"TaskSucceeded", "TaskStateExited", "ExecutionSucceeded"}, w.eventTypes(arn)[5:])
		require.Equal(t, `{"more":1,"next":"X"}`, w.events(arn)[5].TaskSucceeded.Output.Output)
	})
}

func TestCallbackFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request map[string]any
		output  string
	}{
		"both":    {map[string]any{"error": "Cancelled", "cause": "by a person"}, `{"Error":"Cancelled","Cause":"by a person"}`},
		"error":   {map[string]any{"error": "Cancelled"}, `{"Error":"Cancelled","Cause":null}`},
		"neither": {map[string]any{}, `{"Error":null,"Cause":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t, statesMachine(`"S":{`+waitF+`,"Next":"D","Catch":[{"ErrorEquals":["States.ALL"],"Next":"D"}]},`+succeedState), map[string][]outcome{"f": {{result: `{}`}}})
				arn := w.start(`{}`)
				c.request["taskToken"] = w.functions.lastToken(t, "f")
				require.Empty(t, w.mustCall("SendTaskFailure", c.request))
				require.JSONEq(t, c.output, w.describe(arn)["output"].(string))
				require.Equal(t, "TaskFailed", w.eventTypes(arn)[5])
			})
		})
	}
}

// Every attempt has its own token; only the newest can be completed.
func TestTokenPerAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waitingMachine(`,"Retry":[{"ErrorEquals":["A"]}]`), map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		first := w.functions.lastToken(t, "f")
		w.mustCall("SendTaskFailure", map[string]any{"taskToken": first, "error": "A"})
		fault := w.requireRefused("TaskTimedOut", "SendTaskSuccess", map[string]any{"taskToken": first, "output": `{}`})
		require.Equal(t, "Task Timed Out: 'Provided task does not exist anymore'", fault.Message)
		w.advance(time.Second)
		second := w.functions.lastToken(t, "f")
		require.NotEqual(t, first, second)
		w.requireRefused("TaskTimedOut", "SendTaskFailure", map[string]any{"taskToken": first})
		w.requireRefused("TaskTimedOut", "SendTaskHeartbeat", map[string]any{"taskToken": first})
		w.succeedTask(second, `{}`)
		require.Equal(t, "SUCCEEDED", w.describe(arn)["status"])
		w.requireRefused("TaskTimedOut", "SendTaskSuccess", map[string]any{"taskToken": second, "output": `{}`})
	})
}

// A function completes its own task while it runs, and fails afterwards.
func TestCompletionBeforeFunctionReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := failureOutcome("A")
		late.after = time.Minute
		w := newHarness(t, statesMachine(`"S":{`+waitF+`,"Next":"W"},"W":{`+invokeF+`}`), map[string][]outcome{"f": {late, {result: `{}`, after: 5 * time.Minute}}})
		arn := w.start(`{}`)
		w.succeedTask(w.functions.lastToken(t, "f"), `{}`)
		require.Equal(t, []string{"S", "W"}, w.statePath(arn))
		require.Equal(t, "SUCCEEDED", w.waitEnded(arn)["status"])
		require.NotContains(t, w.eventTypes(arn), "TaskFailed")
		require.NotContains(t, w.eventTypes(arn), "TaskSubmitted")
	})
}

func TestCallbackFunctionFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waitingMachine(``), map[string][]outcome{"f": {failureOutcome("A")}})
		arn := w.start(`{}`)
		require.Equal(t, "A", w.describe(arn)["error"])
		w.requireRefused("TaskTimedOut", "SendTaskSuccess", map[string]any{"taskToken": w.functions.lastToken(t, "f"), "output": `{}`})
	})
}

func TestCallbackTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waitingMachine(`,"TimeoutSeconds":60`), map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		token := w.functions.lastToken(t, "f")
		w.advance(59 * time.Second)
		require.Empty(t, w.mustCall("SendTaskHeartbeat", map[string]any{"taskToken": token}), "the heartbeat is accepted and does not extend the timeout")
		w.advance(time.Second)
		require.Equal(t, "States.Timeout", w.describe(arn)["error"])
		require.EqualValues(t, 60, w.events(arn)[2].TaskScheduled.TimeoutInSeconds)
		require.Equal(t, "TaskTimedOut", w.eventTypes(arn)[5])
		w.requireRefused("TaskTimedOut", "SendTaskSuccess", map[string]any{"taskToken": token, "output": `{}`})
		w.requireRefused("TaskTimedOut", "SendTaskHeartbeat", map[string]any{"taskToken": token})
	})
}

func TestInvalidTokensAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waitingMachine(``), map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		token := w.functions.lastToken(t, "f")
		for _, forged := range []string{"", "x", "AAAA", strings.Repeat("A", 80), "A" + token[1:], token + "AAAA", token[:len(token)-4]} {
			w.requireRefused("InvalidToken", "SendTaskSuccess", map[string]any{"taskToken": forged, "output": `{}`})
			w.requireRefused("InvalidToken", "SendTaskFailure", map[string]any{"taskToken": forged})
			w.requireRefused("InvalidToken", "SendTaskHeartbeat", map[string]any{"taskToken": forged})
		}
		w.requireRefused("InvalidOutput", "SendTaskSuccess", map[string]any{"taskToken": token, "output": `not JSON`})
		w.requireRefused("ValidationException", "SendTaskSuccess", map[string]any{"taskToken": token})
		w.requireRefused("ValidationException", "SendTaskSuccess", map[string]any{"taskToken": token, "output": `"` + strings.Repeat("x", 262144) + `"`})
		w.requireRefused("ValidationException", "SendTaskFailure", map[string]any{"taskToken": token, "error": strings.Repeat("x", 257)})
		w.requireRefused("ValidationException", "SendTaskFailure", map[string]any{"taskToken": token, "cause": strings.Repeat("x", 32769)})
		require.Equal(t, "RUNNING", w.describe(arn)["status"], "invalid requests do not change the task")
		w.succeedTask(token, `{}`)
	})
}

// A token identifies one of several executions with the same name.
func TestTokenOfPurgedExecution(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waitingMachine(``), map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		old := map[string]any{"taskToken": w.functions.lastToken(t, "f"), "output": `{}`}
		w.mustCall("StopExecution", map[string]any{"executionArn": arn})
		w.requireRefused("TaskTimedOut", "SendTaskSuccess", old)
		w.advance(91 * 24 * time.Hour)
		w.requireRefused("TaskDoesNotExist", "SendTaskSuccess", old)
		require.Equal(t, arn, w.start(`{}`))
		w.requireRefused("TaskDoesNotExist", "SendTaskSuccess", old)
		require.Equal(t, "RUNNING", w.describe(arn)["status"])
		w.succeedTask(w.functions.lastToken(t, "f"), `{}`)
	})
}
