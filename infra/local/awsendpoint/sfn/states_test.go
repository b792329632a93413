package sfn_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// states is a machine that starts in S.
func states(text string) string { return `{"StartAt":"S","States":{` + text + `}}` }

const ended = `"D":{"Type":"Succeed"}`

func TestStates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ machine, input, output string }{
		"pass":          {states(`"S":{"Type":"Pass","End":true}`), `{"a":1}`, `{"a":1}`},
		"pass null":     {states(`"S":{"Type":"Pass","End":true}`), `null`, `null`},
		"constant":      {states(`"S":{"Type":"Pass","Result":{"b":[1.0]},"End":true}`), `{"a":1}`, `{"b":[1.0]}`},
		"constant null": {states(`"S":{"Type":"Pass","Result":null,"ResultPath":"$.b","End":true}`), `{"a":1}`, `{"a":1,"b":null}`},
		"no expressions in a constant": {states(`"S":{"Type":"Pass","Result":{"x.$":"$.a","y.$":"$$"},"End":true}`), `{}`,
			`{"x.$":"$.a","y.$":"$$"}`},
		"input path":       {states(`"S":{"Type":"Pass","InputPath":"$.a","End":true}`), `{"a":{"b":1}}`, `{"b":1}`},
		"input path null":  {states(`"S":{"Type":"Pass","InputPath":null,"End":true}`), `{"a":1}`, `{}`},
		"input of context": {states(`"S":{"Type":"Pass","InputPath":"$$.Execution.Name","End":true}`), `{"a":1}`, `"one"`},
		"output path":      {states(`"S":{"Type":"Pass","OutputPath":"$.a","End":true}`), `{"a":[1,2]}`, `[1,2]`},
		"output path null": {states(`"S":{"Type":"Pass","OutputPath":null,"End":true}`), `{"a":1}`, `{}`},
		"result path into the raw input": {states(`"S":{"Type":"Pass","InputPath":"$.a","ResultPath":"$.c","End":true}`), `{"a":1,"b":2}`,
			`{"a":1,"b":2,"c":1}`},
		"result path null": {states(`"S":{"Type":"Pass","Result":5,"ResultPath":null,"End":true}`), `{"a":1}`, `{"a":1}`},
		"parameters": {states(`"S":{"Type":"Pass","InputPath":"$.a","Parameters":{"x.$":"$.b","all.$":"$","of.$":"States.MathAdd($.b, 1)"},"ResultPath":"$.r","OutputPath":"$.r","End":true}`),
			`{"a":{"b":2}}`, `{"all":{"b":2},"of":3,"x":2}`},
		"context": {states(`"S":{"Type":"Pass","Parameters":{"id.$":"$$.Execution.Id","in.$":"$$.Execution.Input.a","role.$":"$$.Execution.RoleArn","at.$":"$$.Execution.StartTime",
			"m.$":"$$.StateMachine.Name","mid.$":"$$.StateMachine.Id","s.$":"$$.State.Name","e.$":"$$.State.EnteredTime"},"End":true}`), `{"a":[true]}`,
			`{"at":"2000-01-01T00:00:00.000Z","e":"2000-01-01T00:00:00.000Z","id":"arn:aws:states:us-east-1:000000000000:execution:m:one","in":[true],"m":"m",` +
				`"mid":"arn:aws:states:us-east-1:000000000000:stateMachine:m","role":"arn:aws:iam::000000000000:role/m","s":"S"}`},
		"succeed":             {states(`"S":{"Type":"Succeed","InputPath":"$.a","OutputPath":"$.b"}`), `{"a":{"b":7}}`, `7`},
		"choice":              {states(`"S":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericGreaterThan":5,"Next":"D"}],"Default":"E"},` + ended + `,"E":{"Type":"Fail"}`), `{"n":6}`, `{"n":6}`},
		"choice default":      {states(`"S":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericGreaterThan":5,"Next":"E"}],"Default":"D"},` + ended + `,"E":{"Type":"Fail"}`), `{"n":5}`, `{"n":5}`},
		"choice first":        {states(`"S":{"Type":"Choice","Choices":[{"Variable":"$.n","IsPresent":true,"Next":"D"},{"Variable":"$.n","IsPresent":true,"Next":"E"}]},` + ended + `,"E":{"Type":"Fail"}`), `{"n":5}`, `{"n":5}`},
		"choice paths":        {states(`"S":{"Type":"Choice","InputPath":"$.a","OutputPath":"$.o","Choices":[{"Variable":"$.n","NumericEquals":1,"Next":"D"}]},` + ended), `{"a":{"n":1,"o":"out"}}`, `"out"`},
		"wait for nothing":    {states(`"S":{"Type":"Wait","Seconds":0,"End":true}`), `{"a":1}`, `{"a":1}`},
		"wait until the past": {states(`"S":{"Type":"Wait","Timestamp":"1999-12-31T23:59:59Z","InputPath":"$.a","End":true}`), `{"a":1}`, `1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, c.machine, nil)
				x := w.describe(w.start(c.input))
				require.Equal(t, "SUCCEEDED", x["status"], x)
				require.JSONEq(t, c.output, x["output"].(string))
			})
		})
	}
}

// Errors that no Retrier or Catcher sees, in the words of AWS.
func TestFailures(t *testing.T) {
	t.Parallel()
	const entered = "An error occurred while executing the state 'S' (entered at the event id #2). "
	for name, c := range map[string]struct{ machine, input, err, cause string }{
		"fail":               {states(`"S":{"Type":"Fail","Error":"E","Cause":"because"}`), `{}`, "E", "because"},
		"fail by paths":      {states(`"S":{"Type":"Fail","ErrorPath":"$.e","CausePath":"$.c"}`), `{"e":"E","c":"because"}`, "E", "because"},
		"fail by intrinsics": {states(`"S":{"Type":"Fail","ErrorPath":"$$.State.Name","CausePath":"States.Format('{} of {}', $.n, $$.Execution.Name)"}`), `{"n":1}`, "S", "1 of one"},
		"fail by a missing path": {states(`"S":{"Type":"Fail","ErrorPath":"$.e"}`), `{"f":1}`, "States.Runtime",
			entered + `The JSONPath '$.e' specified for the field 'ErrorPath' could not be found in the input '{"f":1}'`},
		"fail by a number": {states(`"S":{"Type":"Fail","ErrorPath":"$.e"}`), `{"e":1}`, "States.Runtime", entered + "The ErrorPath field must refer to a string: $.e"},
		"input path":       {states(`"S":{"Type":"Pass","InputPath":"$.x","End":true}`), `{}`, "States.Runtime", entered + "Invalid path '$.x' : No results for path: $['x']"},
		"output path":      {states(`"S":{"Type":"Pass","OutputPath":"$.x.y","End":true}`), `{}`, "States.Runtime", entered + "Invalid path '$.x.y' : Missing property in path $['x']"},
		"parameters": {states(`"S":{"Type":"Pass","Parameters":{"v.$":"$.x"},"End":true}`), `{}`, "States.Runtime",
			entered + "The JSONPath '$.x' specified for the field 'v.$' could not be found in the input '{}'"},
		"intrinsic": {states(`"S":{"Type":"Pass","Parameters":{"v.$":"States.StringToJson($.x)"},"End":true}`), `{"x":1}`, "States.IntrinsicFailure",
			entered + "The function 'States.StringToJson($.x)' had the following error: the argument must be a string"},
		"result path": {states(`"S":{"Type":"Pass","ResultPath":"$.a.b","End":true}`), `{"a":"text"}`, "States.ResultPathMatchFailure",
			"Unable to apply ReferencePath $.a.b to the input: there is no object to put 'b' into"},
		"no choice": {states(`"S":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericEquals":1,"Next":"D"}]},` + ended), `{"n":2}`, "States.NoChoiceMatched",
			entered + "No Choice Rule matched and there is no Default."},
		"choice of nothing": {states(`"S":{"Type":"Choice","Choices":[{"Variable":"$.x","NumericEquals":1,"Next":"D"}],"Default":"D"},` + ended), `{}`, "States.Runtime",
			entered + "Invalid path '$.x': The choice state's condition path references an invalid value."},
		"wait of a fraction": {states(`"S":{"Type":"Wait","SecondsPath":"$.s","End":true}`), `{"s":1.5}`, "States.Runtime", entered + "The SecondsPath parameter cannot be parsed as a long value: $.s == 1.5"},
		"negative wait":      {states(`"S":{"Type":"Wait","SecondsPath":"$.s","End":true}`), `{"s":-1}`, "States.Runtime", entered + "The SecondsPath parameter references a negative value: $.s == -1"},
		"wait until a bad time": {states(`"S":{"Type":"Wait","TimestampPath":"$.t","End":true}`), `{"t":"2016-12-05T21:29:29"}`, "States.Runtime",
			entered + "The TimestampPath parameter does not reference a valid ISO-8601 extended offset date-time format string: $.t == 2016-12-05T21:29:29"},
		"wait for ever":      {states(`"S":{"Type":"Wait","TimestampPath":"$.t","End":true}`), `{"t":"2999-01-01T00:00:00Z"}`, "States.Runtime", entered + "Wait state delay is too long."},
		"timeout of nothing": {states(`"S":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f"},"TimeoutSecondsPath":"$.t","End":true}`), `{}`, "States.Runtime", entered + "Invalid path '$.t' : No results for path: $['t']"},
		"no function":        {states(`"S":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","End":true}`), `{"a":1}`, "States.Runtime", entered + `The Parameters '{"a":1}' could not be used to start the Task: [The field 'FunctionName' is required but was missing]`},
		"endless":            {states(`"S":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericEquals":1,"Next":"S"}],"Default":"D"},` + ended), `{"n":1}`, "States.Runtime", "The execution reached the maximum number of history events (25000)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, c.machine, nil)
				x := w.describe(w.start(c.input))
				require.Equal(t, "FAILED", x["status"], x)
				require.Equal(t, c.err, x["error"])
				require.Equal(t, c.cause, x["cause"])
			})
		})
	}
}

func TestFailWithoutReason(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, states(`"S":{"Type":"Fail"}`), nil)
		x := w.describe(w.start(`{}`))
		require.Equal(t, "FAILED", x["status"])
		require.NotContains(t, x, "error")
		require.NotContains(t, x, "cause")
	})
}

func TestOutputTooLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, states(`"S":{"Type":"Pass","Parameters":{"a.$":"$","b.$":"$"},"End":true}`), nil)
		arn := w.start(`"` + strings.Repeat("x", interp.MaxData/2) + `"`)
		x := w.describe(arn)
		require.Equal(t, "States.DataLimitExceeded", x["error"])
		require.Equal(t, "The state/task 'S' returned a result with a size exceeding the maximum number of bytes service limit.", x["cause"])
		require.Equal(t, []string{"ExecutionStarted", "PassStateEntered", "ExecutionFailed"}, w.types(arn))
	})
}

func TestWait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wait, input string
		lasts       time.Duration
	}{
		"seconds":        {`"Seconds":90`, `{}`, 90 * time.Second},
		"seconds path":   {`"InputPath":"$.a","SecondsPath":"$.s"`, `{"a":{"s":3600}}`, time.Hour},
		"timestamp":      {`"Timestamp":"2000-01-02T01:00:00+01:00"`, `{}`, 24 * time.Hour},
		"timestamp path": {`"TimestampPath":"$.t"`, `{"t":"2000-01-01T00:00:00.250Z"}`, 250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, states(`"S":{"Type":"Wait",`+c.wait+`,"End":true}`), nil)
				arn := w.start(c.input)
				w.pass(c.lasts - time.Millisecond)
				require.Equal(t, []string{"ExecutionStarted", "WaitStateEntered"}, w.types(arn))
				w.pass(time.Millisecond)
				require.Equal(t, []string{"ExecutionStarted", "WaitStateEntered", "WaitStateExited", "ExecutionSucceeded"}, w.types(arn))
			})
		})
	}
}

func TestMachineTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, `{"StartAt":"S","TimeoutSeconds":60,"States":{"S":{"Type":"Wait","Seconds":61,"End":true}}}`, nil)
		arn := w.start(`{}`)
		w.pass(59 * time.Second)
		require.Equal(t, "RUNNING", w.describe(arn)["status"])
		w.pass(time.Second)
		x := w.describe(arn)
		require.Equal(t, "TIMED_OUT", x["status"])
		require.NotContains(t, x, "error")
		require.Equal(t, []string{"ExecutionStarted", "WaitStateEntered", "ExecutionTimedOut"}, w.types(arn))
	})
}
