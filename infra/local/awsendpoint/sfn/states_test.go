package sfn_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// statesMachine returns a machine that starts in S.
func statesMachine(text string) string { return `{"StartAt":"S","States":{` + text + `}}` }

const succeedState = `"D":{"Type":"Succeed"}`

// forkMachine returns a machine that uses $.x, "a" or "b", to choose one of the ends D,
// which succeeds, and E, which fails. The first two rules lead to both, because every state
// must be reachable.
func forkMachine(a, b, otherwise string) string {
	return `{"StartAt":"Way","States":{"Way":{"Type":"Choice","Choices":[{"Variable":"$.x","StringEquals":"?","Next":"D"},{"Variable":"$.x","StringEquals":"?","Next":"E"},
		{"Variable":"$.x","StringEquals":"a","Next":"` + a + `"},{"Variable":"$.x","StringEquals":"b","Next":"` + b + `"}],"Default":"` + otherwise + `"},` + succeedState + `,"E":{"Type":"Fail"}}}`
}

func TestStates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ machine, input, output string }{
		"pass":                 {statesMachine(`"S":{"Type":"Pass","End":true}`), `{"a":1}`, `{"a":1}`},
		"Pass with null input": {statesMachine(`"S":{"Type":"Pass","End":true}`), `null`, `null`},
		"ResultPath":           {statesMachine(`"S":{"Type":"Pass","ResultPath":"$.c.d","End":true}`), `{"a":1}`, `{"a":1,"c":{"d":{"a":1}}}`},
		"ResultPath is null":   {statesMachine(`"S":{"Type":"Pass","Parameters":{"x":1},"ResultPath":null,"End":true}`), `{"a":1}`, `{"a":1}`},
		"parameters": {statesMachine(`"S":{"Type":"Pass","Parameters":{"x.$":"$.a.b","all.$":"$.a","of.$":"States.Format('{}.', $.a.b)"},"ResultPath":"$.r","End":true}`),
			`{"a":{"b":2}}`, `{"a":{"b":2},"r":{"all":{"b":2},"of":"2.","x":2}}`},
		"context": {statesMachine(`"S":{"Type":"Pass","Parameters":{"id.$":"$$.Execution.Id","in.$":"$$.Execution.Input.a","role.$":"$$.Execution.RoleArn","at.$":"$$.Execution.StartTime",
			"m.$":"$$.StateMachine.Name","mid.$":"$$.StateMachine.Id","s.$":"$$.State.Name","e.$":"$$.State.EnteredTime"},"End":true}`), `{"a":[true]}`,
			`{"at":"2000-01-01T00:00:00.000Z","e":"2000-01-01T00:00:00.000Z","id":"arn:aws:states:us-east-1:000000000000:execution:m:one","in":[true],"m":"m",` +
				`"mid":"arn:aws:states:us-east-1:000000000000:stateMachine:m","role":"arn:aws:iam::000000000000:role/m","s":"S"}`},
		"choice":                   {forkMachine("D", "E", "D"), `{"x":"a"}`, `{"x":"a"}`},
		"Choice, second branch":    {forkMachine("E", "D", "E"), `{"x":"b"}`, `{"x":"b"}`},
		"Choice is case-sensitive": {forkMachine("E", "E", "D"), `{"x":"A"}`, `{"x":"A"}`},
		"Choice on a number": {statesMachine(`"S":{"Type":"Choice","Choices":[{"Variable":"$.x","StringEquals":"1","Next":"E"}],"Default":"D"},` + succeedState + `,"E":{"Type":"Fail"}`),
			`{"x":1}`, `{"x":1}`},
		"Choice on the context object": {statesMachine(`"S":{"Type":"Choice","Choices":[{"Variable":"$$.Execution.Name","StringEquals":"one","Next":"D"}]},` + succeedState), `{}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t, c.machine, nil)
				x := w.describe(w.start(c.input))
				require.Equal(t, "SUCCEEDED", x["status"], x)
				require.JSONEq(t, c.output, x["output"].(string))
			})
		})
	}
}

// The test covers errors that no Retrier or Catcher sees, with AWS's wording.
func TestFailures(t *testing.T) {
	t.Parallel()
	const entered = "An error occurred while executing the state 'S' (entered at the event id #2). "
	for name, c := range map[string]struct{ machine, input, err, cause string }{
		"fail":                          {statesMachine(`"S":{"Type":"Fail","Error":"E","Cause":"because"}`), `{}`, "E", "because"},
		"Fail with paths":               {statesMachine(`"S":{"Type":"Fail","ErrorPath":"$.e","CausePath":"$.c"}`), `{"e":"E","c":"because"}`, "E", "because"},
		"Fail with intrinsic functions": {statesMachine(`"S":{"Type":"Fail","ErrorPath":"$$.State.Name","CausePath":"States.Format('{} of {}', $.n, $$.Execution.Name)"}`), `{"n":1}`, "S", "1 of one"},
		"Fail with a missing path": {statesMachine(`"S":{"Type":"Fail","ErrorPath":"$.e"}`), `{"f":1}`, "States.Runtime",
			entered + `The JSONPath '$.e' specified for the field 'ErrorPath' could not be found in the input '{"f":1}'`},
		"Fail with a number": {statesMachine(`"S":{"Type":"Fail","ErrorPath":"$.e"}`), `{"e":1}`, "States.Runtime", entered + "The ErrorPath field must refer to a string: $.e"},
		"parameters": {statesMachine(`"S":{"Type":"Pass","Parameters":{"v.$":"$.x"},"End":true}`), `{}`, "States.Runtime",
			entered + "The JSONPath '$.x' specified for the field 'v.$' could not be found in the input '{}'"},
		"ResultPath does not match the input": {statesMachine(`"S":{"Type":"Pass","ResultPath":"$.a.b","End":true}`), `{"a":"text"}`, "States.ResultPathMatchFailure",
			"Unable to apply ReferencePath $.a.b to the input: no object to add 'b' to"},
		"no Choice rule matches": {statesMachine(`"S":{"Type":"Choice","Choices":[{"Variable":"$.n","StringEquals":"1","Next":"D"}]},` + succeedState), `{"n":"2"}`, "States.NoChoiceMatched",
			entered + "No Choice Rule matched and there is no Default."},
		"Choice on a missing variable": {statesMachine(`"S":{"Type":"Choice","Choices":[{"Variable":"$.x","StringEquals":"1","Next":"D"}],"Default":"D"},` + succeedState), `{}`, "States.Runtime",
			entered + "Invalid path '$.x': The choice state's condition path references an invalid value."},
		"endless": {statesMachine(`"S":{"Type":"Choice","Choices":[{"Variable":"$.n","StringEquals":"1","Next":"S"}],"Default":"D"},` + succeedState), `{"n":"1"}`, "States.Runtime", "The execution reached the maximum number of history events (25000)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t, c.machine, nil)
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
		w := newHarness(t, statesMachine(`"S":{"Type":"Fail"}`), nil)
		x := w.describe(w.start(`{}`))
		require.Equal(t, "FAILED", x["status"])
		require.NotContains(t, x, "error")
		require.NotContains(t, x, "cause")
	})
}

func TestOutputTooLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, statesMachine(`"S":{"Type":"Pass","Parameters":{"a.$":"$","b.$":"$"},"End":true}`), nil)
		arn := w.start(`"` + strings.Repeat("x", interp.MaxData/2) + `"`)
		x := w.describe(arn)
		require.Equal(t, "States.DataLimitExceeded", x["error"])
		require.Equal(t, "The state/task 'S' returned a result with a size exceeding the maximum number of bytes service limit.", x["cause"])
		require.Equal(t, []string{"ExecutionStarted", "PassStateEntered", "ExecutionFailed"}, w.eventTypes(arn))
	})
}
