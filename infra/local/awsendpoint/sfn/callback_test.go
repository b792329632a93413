package sfn_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const waitF = `"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken","Parameters":{"FunctionName":"f","Payload":{"taskToken.$":"$$.Task.Token"}}`

func waiting(fields string) string {
	return states(`"S":{` + waitF + fields + `,"End":true}`)
}

func (w *world) succeedTask(token, output string) {
	w.t.Helper()
	require.Empty(w.t, w.must("SendTaskSuccess", map[string]any{"taskToken": token, "output": output}))
	synctest.Wait()
}

func TestCallbackSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, waiting(`,"ResultSelector":{"n.$":"$.next"},"ResultPath":"$.r"`), map[string][]outcome{"f": {{result: `{"ignored":true}`}}})
		arn := w.start(`{"id":7}`)
		require.Equal(t, []string{"ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSubmitted"}, w.types(arn))
		events := w.events(arn)
		require.Contains(t, events[4].TaskSubmitted.Output.Output, `"Payload":{"ignored":true}`)
		require.Equal(t, "invoke.waitForTaskToken", events[2].TaskScheduled.Resource)
		w.pass(400 * 24 * time.Hour)
		w.succeedTask(w.functions.lastToken(t, "f"), `{"next":"X","more":1}`)
		require.JSONEq(t, `{"id":7,"r":{"n":"X"}}`, w.describe(arn)["output"].(string))
		require.Equal(t, []string{"TaskSucceeded", "TaskStateExited", "ExecutionSucceeded"}, w.types(arn)[5:])
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
				w := newWorld(t, states(`"S":{`+waitF+`,"Next":"D","Catch":[{"ErrorEquals":["States.ALL"],"Next":"D"}]},`+ended), map[string][]outcome{"f": {{result: `{}`}}})
				arn := w.start(`{}`)
				c.request["taskToken"] = w.functions.lastToken(t, "f")
				require.Empty(t, w.must("SendTaskFailure", c.request))
				require.JSONEq(t, c.output, w.describe(arn)["output"].(string))
				require.Equal(t, "TaskFailed", w.types(arn)[5])
			})
		})
	}
}

// Every attempt has a token of its own; only the newest is open.
func TestTokenPerAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, waiting(`,"Retry":[{"ErrorEquals":["A"]}]`), map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		first := w.functions.lastToken(t, "f")
		w.must("SendTaskFailure", map[string]any{"taskToken": first, "error": "A"})
		fault := w.refused("TaskTimedOut", "SendTaskSuccess", map[string]any{"taskToken": first, "output": `{}`})
		require.Equal(t, "Task Timed Out: 'Provided task does not exist anymore'", fault.Message)
		w.pass(time.Second)
		second := w.functions.lastToken(t, "f")
		require.NotEqual(t, first, second)
		w.refused("TaskTimedOut", "SendTaskFailure", map[string]any{"taskToken": first})
		w.refused("TaskTimedOut", "SendTaskHeartbeat", map[string]any{"taskToken": first})
		w.succeedTask(second, `{}`)
		require.Equal(t, "SUCCEEDED", w.describe(arn)["status"])
		w.refused("TaskTimedOut", "SendTaskSuccess", map[string]any{"taskToken": second, "output": `{}`})
	})
}

// A function that completes its own task while it runs, and fails afterwards.
func TestAnswerBeforeFunctionReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := fault("A")
		late.after = time.Minute
		w := newWorld(t, states(`"S":{`+waitF+`,"Next":"W"},"W":{`+invokeF+`}`), map[string][]outcome{"f": {late, {result: `{}`, after: 5 * time.Minute}}})
		arn := w.start(`{}`)
		w.succeedTask(w.functions.lastToken(t, "f"), `{}`)
		require.Equal(t, []string{"S", "W"}, w.path(arn))
		require.Equal(t, "SUCCEEDED", w.ended(arn)["status"])
		require.NotContains(t, w.types(arn), "TaskFailed")
		require.NotContains(t, w.types(arn), "TaskSubmitted")
	})
}

func TestCallbackFunctionFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, waiting(``), map[string][]outcome{"f": {fault("A")}})
		arn := w.start(`{}`)
		require.Equal(t, "A", w.describe(arn)["error"])
		w.refused("TaskTimedOut", "SendTaskSuccess", map[string]any{"taskToken": w.functions.lastToken(t, "f"), "output": `{}`})
	})
}

func TestCallbackTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, waiting(`,"TimeoutSeconds":60`), map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		token := w.functions.lastToken(t, "f")
		w.pass(59 * time.Second)
		require.Empty(t, w.must("SendTaskHeartbeat", map[string]any{"taskToken": token}), "it still waits, and no longer for that")
		w.pass(time.Second)
		require.Equal(t, "States.Timeout", w.describe(arn)["error"])
		require.EqualValues(t, 60, w.events(arn)[2].TaskScheduled.TimeoutInSeconds)
		require.Equal(t, "TaskTimedOut", w.types(arn)[5])
		w.refused("TaskTimedOut", "SendTaskSuccess", map[string]any{"taskToken": token, "output": `{}`})
		w.refused("TaskTimedOut", "SendTaskHeartbeat", map[string]any{"taskToken": token})
	})
}

func TestTokenFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, waiting(``), map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		token := w.functions.lastToken(t, "f")
		for _, forged := range []string{"", "x", "AAAA", strings.Repeat("A", 80), "A" + token[1:], token + "AAAA", token[:len(token)-4]} {
			w.refused("InvalidToken", "SendTaskSuccess", map[string]any{"taskToken": forged, "output": `{}`})
			w.refused("InvalidToken", "SendTaskFailure", map[string]any{"taskToken": forged})
			w.refused("InvalidToken", "SendTaskHeartbeat", map[string]any{"taskToken": forged})
		}
		w.refused("InvalidOutput", "SendTaskSuccess", map[string]any{"taskToken": token, "output": `not JSON`})
		w.refused("ValidationException", "SendTaskSuccess", map[string]any{"taskToken": token})
		w.refused("ValidationException", "SendTaskSuccess", map[string]any{"taskToken": token, "output": `"` + strings.Repeat("x", 262144) + `"`})
		w.refused("ValidationException", "SendTaskFailure", map[string]any{"taskToken": token, "error": strings.Repeat("x", 257)})
		w.refused("ValidationException", "SendTaskFailure", map[string]any{"taskToken": token, "cause": strings.Repeat("x", 32769)})
		require.Equal(t, "RUNNING", w.describe(arn)["status"], "none of it touched the task")
		w.succeedTask(token, `{}`)
	})
}

// A token says which execution of a name it is for.
func TestTokenOfForgottenExecution(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, waiting(``), map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		old := map[string]any{"taskToken": w.functions.lastToken(t, "f"), "output": `{}`}
		w.must("StopExecution", map[string]any{"executionArn": arn})
		w.refused("TaskTimedOut", "SendTaskSuccess", old)
		w.pass(91 * 24 * time.Hour)
		w.refused("TaskDoesNotExist", "SendTaskSuccess", old)
		require.Equal(t, arn, w.start(`{}`))
		w.refused("TaskDoesNotExist", "SendTaskSuccess", old)
		require.Equal(t, "RUNNING", w.describe(arn)["status"])
		w.succeedTask(w.functions.lastToken(t, "f"), `{}`)
	})
}
