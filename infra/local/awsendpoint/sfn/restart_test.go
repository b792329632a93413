package sfn_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
)

// restart closes the service, leaves it down for the given time, and serves the
// machines again from the same database.
func (w *harness) restart(down time.Duration, definition string) {
	w.t.Helper()
	w.service.Close()
	time.Sleep(down)
	w.serve([]sfn.Machine{{Name: "m", Definition: definition}})
	synctest.Wait()
}

func TestTokenSurvivesRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		machine := waitingMachine(`,"TimeoutSeconds":86400`)
		w := newHarness(t, machine, map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		w.restart(time.Hour, machine)
		require.Len(t, w.functions.record("f"), 1, "a completed invocation is not repeated")
		w.succeedTask(w.functions.lastToken(t, "f"), `{"a":1}`)
		require.Equal(t, `{"a":1}`, w.describe(arn)["output"])
	})
}

func TestRestartRepeatsInvocation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		machine := statesMachine(`"S":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken","Parameters":{"FunctionName":"f",
			"Payload":{"taskToken.$":"$$.Task.Token","at.$":"$$.State.EnteredTime"}},"TimeoutSeconds":60,"End":true}`)
		w := newHarness(t, machine, map[string][]outcome{"f": {{blocking: true}, {blocking: true}, {result: `{}`}}})
		arn := w.start(`{}`)
		w.advance(50 * time.Second)
		w.restart(time.Hour, machine)
		w.advance(50 * time.Second)
		require.Equal(t, "RUNNING", w.describe(arn)["status"], "the timeout restarts")
		w.restart(0, machine)
		calls := w.functions.record("f")
		require.Len(t, calls, 3)
		require.Equal(t, calls[0], calls[1], "the repeated invocation has the same token and payload")
		require.Equal(t, calls[0], calls[2])
		require.Equal(t, []string{"ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSubmitted"}, w.eventTypes(arn), "the repeated invocation counts as the same attempt")
		w.succeedTask(w.functions.lastToken(t, "f"), `{}`)
		require.Equal(t, "SUCCEEDED", w.describe(arn)["status"])
	})
}

func TestTimersSurviveRestart(t *testing.T) {
	t.Parallel()
	retried := statesMachine(`"S":{` + invokeF + `,"Retry":[{"ErrorEquals":["A"],"IntervalSeconds":3600}]}`)
	for name, c := range map[string]struct{ definition, next string }{
		"a retry":   {retried, "TaskScheduled"},
		"a timeout": {waitingMachine(`,"TimeoutSeconds":3600`), "TaskTimedOut"},
	} {
		for when, downAt := range map[string]time.Duration{"before it is due": time.Minute, "until it is overdue": 2 * time.Hour} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					script := []outcome{{result: `{}`}}
					if c.definition == retried {
						script = []outcome{failureOutcome("A"), {result: `{}`}}
					}
					w := newHarness(t, c.definition, map[string][]outcome{"f": script})
					arn := w.start(`{}`)
					before := len(w.eventTypes(arn))
					w.restart(downAt, c.definition)
					if downAt < time.Hour {
						require.Len(t, w.eventTypes(arn), before)
						w.advance(time.Hour - downAt - time.Millisecond)
						require.Len(t, w.eventTypes(arn), before)
						w.advance(time.Millisecond)
					}
					require.Equal(t, c.next, w.eventTypes(arn)[before])
				})
			})
		}
	}
}

// An execution keeps the definition with which it started.
func TestDefinitionChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		before := statesMachine(`"S":{` + waitF + `,"Next":"Old"},"Old":{"Type":"Succeed"}`)
		after := statesMachine(`"S":{"Type":"Succeed"}`)
		w := newHarness(t, before, map[string][]outcome{"f": {{result: `{}`}}})
		arn := w.start(`{}`)
		w.restart(time.Hour, after)
		require.Equal(t, after, w.mustCall("DescribeStateMachine", map[string]any{"stateMachineArn": machineM})["definition"])
		require.Equal(t, 946684800.0, w.mustCall("DescribeStateMachine", map[string]any{"stateMachineArn": machineM})["creationDate"])
		require.Equal(t, before, w.mustCall("DescribeStateMachineForExecution", map[string]any{"executionArn": arn})["definition"])
		w.succeedTask(w.functions.lastToken(t, "f"), `{}`)
		require.Equal(t, []string{"S", "Old"}, w.statePath(arn))
		require.Equal(t, []string{"S"}, w.statePath(w.startInput("m", "two", `{}`)))
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	db := openDB(t)
	for want, machines := range map[string][]sfn.Machine{
		`state machine m: `:                     {{Name: "m", Definition: `{}`}},
		"The state type 'Map' is not supported": {{Name: "m", Definition: statesMachine(`"S":{"Type":"Map","End":true}`)}},
		"nothing is substituted for ${other}":   {{Name: "m", Definition: `{"Comment":"${f} ${other}"}`, Substitutions: map[string]string{"f": "x"}}},
		`the name "a b"`:                        {{Name: "a b", Definition: waits}},
		`the name "m"`:                          {{Name: "m", Definition: waits}, {Name: "m", Definition: waits}},
	} {
		_, err := sfn.New(db, machines, &fakeFunctions{})
		require.ErrorContains(t, err, want)
	}
	_, err := sfn.New(nil, nil, &fakeFunctions{})
	require.Error(t, err)
	_, err = sfn.New(db, nil, nil)
	require.Error(t, err)
}

// A waiting execution uses no goroutine. Not parallel: the test counts all goroutines of the process.
func TestWaitingNeedsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, waitingMachine(`,"TimeoutSeconds":86400`), map[string][]outcome{"f": {{result: `{}`}}})
		idle := runtime.NumGoroutine()
		for i := range 1000 {
			w.startInput("m", fmt.Sprint("n", i), `{}`)
		}
		require.Less(t, runtime.NumGoroutine(), idle+100, "executions that wait use no goroutine each")
		w.advance(24 * time.Hour)
		for i := range 1000 {
			require.Equal(t, "FAILED", w.describe(fmt.Sprint(execution, "n", i))["status"])
		}
	})
}
