package sfn_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

const invokeF = `"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f","Payload.$":"$"},"End":true`

func TestInvokeResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ fields, input, result, output string }{
		"selected":                              {`,"ResultSelector":{"r.$":"$.Payload.x","s.$":"$.StatusCode","v.$":"$.ExecutedVersion"}`, `{}`, `{"x":1.50}`, `{"r":1.50,"s":200,"v":"$LATEST"}`},
		"null":                                  {`,"ResultSelector":{"p.$":"$.Payload"}`, `{}`, `null`, `{"p":null}`},
		"nothing":                               {`,"ResultSelector":{"p.$":"$.Payload"}`, `{}`, ``, `{"p":null}`},
		"result is not JSON":                    {`,"ResultSelector":{"p.$":"$.Payload"}`, `{}`, `<html>`, `{"p":"<html>"}`},
		"beside":                                {`,"ResultSelector":{"n.$":"$.Payload.next"},"ResultPath":"$.split"`, `{"id":7}`, `{"next":"X","more":1}`, `{"id":7,"split":{"n":"X"}}`},
		"dropped":                               {`,"ResultPath":null`, `{"id":7}`, `{"x":1}`, `{"id":7}`},
		"context object in the result selector": {`,"ResultSelector":{"n.$":"$$.State.Name","c.$":"$$.State.RetryCount"}`, `{"id":7}`, `{"x":1}`, `{"c":0,"n":"S"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t, statesMachine(`"S":{`+invokeF+c.fields+`}`), map[string][]outcome{"f": {{result: c.result}}})
				x := w.describe(w.start(c.input))
				require.Equal(t, "SUCCEEDED", x["status"], x)
				require.Equal(t, c.output, x["output"])
			})
		})
	}
}

func TestInvokeHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, statesMachine(`"S":{`+invokeF+`}`), map[string][]outcome{"f": {{result: `"ab"`}}})
		x := w.describe(w.start(`{}`))
		var output struct {
			ExecutedVersion, Payload string
			SdkHttpMetadata          struct {
				AllHttpHeaders map[string][]string
				HttpHeaders    map[string]string
				HttpStatusCode int
			}
			SdkResponseMetadata struct{ RequestId string }
			StatusCode          int
		}
		require.NoError(t, json.Unmarshal([]byte(x["output"].(string)), &output))
		require.Equal(t, "$LATEST", output.ExecutedVersion)
		require.Equal(t, "ab", output.Payload)
		require.Equal(t, 200, output.StatusCode)
		require.Equal(t, 200, output.SdkHttpMetadata.HttpStatusCode)
		require.Equal(t, "4", output.SdkHttpMetadata.HttpHeaders["Content-Length"])
		require.Equal(t, []string{"$LATEST"}, output.SdkHttpMetadata.AllHttpHeaders["X-Amz-Executed-Version"])
		require.Equal(t, output.SdkResponseMetadata.RequestId, output.SdkHttpMetadata.HttpHeaders["x-amzn-RequestId"])
		require.Len(t, output.SdkResponseMetadata.RequestId, 36)
	})
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task    string
		payload map[string]any
	}{
		"whole input as payload": {invokeF, map[string]any{"a": 1.0}},
		"no payload":             {strings.Replace(invokeF, `,"Payload.$":"$"`, "", 1), map[string]any{}},
		"template":               {strings.Replace(invokeF, `"Payload.$":"$"`, `"Payload":{"b.$":"$$.Execution.Name"}`, 1), map[string]any{"b": "one"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t, statesMachine(`"S":{`+c.task+`}`), map[string][]outcome{"f": {{result: `{"r":true}`}}})
				require.Equal(t, "SUCCEEDED", w.describe(w.start(`{"a":1}`))["status"])
				require.Equal(t, []call{{Function: "f", Payload: c.payload}}, w.functions.record("f"))
			})
		})
	}
}

// The test checks the error name of each failed invocation.
func TestInvocationErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcome    outcome
		err, cause string
	}{
		"error document": {outcome{failure: `{"errorType":"Transient","errorMessage":"later","requestId":"r"}`},
			"Transient", `{"errorType":"Transient","errorMessage":"later","requestId":"r"}`},
		"error document without a type": {outcome{failure: `{"errorMessage":"Task timed out after 3.00 seconds"}`},
			"Lambda.Unknown", `The cause could not be determined because Lambda did not return an error type. Returned payload: {"errorMessage":"Task timed out after 3.00 seconds"}`},
		"error without a document": {outcome{failure: `oops`},
			"Lambda.Unknown", `The cause could not be determined because Lambda did not return an error type. Returned payload: oops`},
		"exit":    {outcome{failure: `{"errorType":"Runtime.ExitError","errorMessage":"exit status 2"}`}, "Runtime.ExitError", `{"errorType":"Runtime.ExitError","errorMessage":"exit status 2"}`},
		"timeout": {outcome{failure: `{"errorType":"Sandbox.Timedout","errorMessage":"x"}`}, "Sandbox.Timedout", `{"errorType":"Sandbox.Timedout","errorMessage":"x"}`},
		"unknown function": {outcome{refusal: awsjson.Errorf("ResourceNotFoundException", "Function not found: g")},
			"Lambda.ResourceNotFoundException", "Function not found: g"},
		"throttled":          {outcome{refusal: awsjson.Errorf("com.amazonaws#TooManyRequestsException", "Rate Exceeded.")}, "Lambda.TooManyRequestsException", "Rate Exceeded."},
		"connection refused": {outcome{refusal: errors.New("connection refused")}, "Lambda.SdkClientException", "connection refused"},
		"result too large":   {outcome{result: `"` + strings.Repeat("x", 262144) + `"`}, "States.DataLimitExceeded", "returned a result with a size exceeding the maximum number of bytes service limit."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t, statesMachine(`"S":{`+invokeF+`}`), map[string][]outcome{"f": {c.outcome}})
				arn := w.start(`{}`)
				x := w.describe(arn)
				require.Equal(t, "FAILED", x["status"])
				require.Equal(t, c.err, x["error"])
				require.Contains(t, x["cause"], c.cause)
				events := w.events(arn)
				require.Len(t, events, 6)
				require.Equal(t, c.err, events[4].TaskFailed.Error)
				require.Equal(t, "invoke", events[4].TaskFailed.Resource)
				require.Equal(t, x["cause"], events[5].ExecutionFailed.Cause)
			})
		})
	}
}

func TestTaskTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, statesMachine(`"S":{`+invokeF+`,"TimeoutSeconds":5}`), map[string][]outcome{"f": {{blocking: true}}})
		arn := w.start(`{}`)
		w.advance(5*time.Second - time.Millisecond)
		require.Equal(t, "RUNNING", w.describe(arn)["status"])
		w.advance(time.Millisecond)
		x := w.describe(arn)
		require.Equal(t, "FAILED", x["status"])
		require.Equal(t, "States.Timeout", x["error"])
		require.Equal(t, "TaskTimedOut", w.eventTypes(arn)[4])
		require.EqualValues(t, 5, w.events(arn)[2].TaskScheduled.TimeoutInSeconds)
	})
}

// A response that arrives after the attempt's timeout is dropped.
func TestLateReply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, statesMachine(`"S":{`+invokeF+`,"TimeoutSeconds":5,"Catch":[{"ErrorEquals":["States.Timeout"],"Next":"W"}]},"W":{`+waitF+`,"Next":"D"},`+succeedState), nil)
		w.functions.scripts = map[string][]outcome{"f": {{result: `{}`, after: time.Minute}, {result: `{}`}}}
		arn := w.start(`{}`)
		w.advance(2 * time.Minute)
		require.Equal(t, []string{"S", "W"}, w.statePath(arn))
		require.Equal(t, []string{"TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSubmitted"}, w.eventTypes(arn)[6:])
	})
}
