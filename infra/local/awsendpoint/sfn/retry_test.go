package sfn_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func failureOutcome(errorType string) outcome {
	return outcome{failure: `{"errorType":"` + errorType + `","errorMessage":"m"}`}
}

// attemptTimes returns the times, relative to the start, at which attempts were scheduled.
func (w *harness) attemptTimes(arn string) []time.Duration {
	w.t.Helper()
	events := w.events(arn)
	var times []time.Duration
	for _, e := range events {
		if e.TaskScheduled != nil {
			times = append(times, time.Time(e.Timestamp).Sub(time.Time(events[0].Timestamp)))
		}
	}
	return times
}

func secondsList(list ...float64) []time.Duration {
	times := make([]time.Duration, len(list))
	for i, s := range list {
		times[i] = time.Duration(s * float64(time.Second))
	}
	return times
}

// The test checks when attempts start and how the execution ends. Jitter draws one half.
func TestRetry(t *testing.T) {
	t.Parallel()
	ok := outcome{result: `{}`}
	for name, c := range map[string]struct {
		retry   string
		script  []outcome
		attempt []time.Duration
		status  string
	}{
		"none":                                 {`[]`, []outcome{failureOutcome("A")}, secondsList(0), "FAILED"},
		"retrier for another error":            {`[{"ErrorEquals":["B"]}]`, []outcome{failureOutcome("A")}, secondsList(0), "FAILED"},
		"defaults":                             {`[{"ErrorEquals":["A"]}]`, []outcome{failureOutcome("A")}, secondsList(0, 1, 3, 7), "FAILED"},
		"helps":                                {`[{"ErrorEquals":["A"]}]`, []outcome{failureOutcome("A"), failureOutcome("A"), ok}, secondsList(0, 1, 3), "SUCCEEDED"},
		"never":                                {`[{"ErrorEquals":["A"],"MaxAttempts":0}]`, []outcome{failureOutcome("A")}, secondsList(0), "FAILED"},
		"interval":                             {`[{"ErrorEquals":["A"],"IntervalSeconds":3,"MaxAttempts":2,"BackoffRate":1.5}]`, []outcome{failureOutcome("A")}, secondsList(0, 3, 7.5), "FAILED"},
		"bounded":                              {`[{"ErrorEquals":["A"],"IntervalSeconds":10,"MaxDelaySeconds":15,"MaxAttempts":3}]`, []outcome{failureOutcome("A")}, secondsList(0, 10, 25, 40), "FAILED"},
		"jitter":                               {`[{"ErrorEquals":["A"],"IntervalSeconds":2,"MaxAttempts":2,"JitterStrategy":"FULL"}]`, []outcome{failureOutcome("A")}, secondsList(0, 1, 3), "FAILED"},
		"all":                                  {`[{"ErrorEquals":["States.ALL"],"MaxAttempts":1}]`, []outcome{failureOutcome("A")}, secondsList(0, 1), "FAILED"},
		"States.TaskFailed":                    {`[{"ErrorEquals":["States.TaskFailed"],"MaxAttempts":1}]`, []outcome{failureOutcome("A")}, secondsList(0, 1), "FAILED"},
		"each error has its own retrier":       {`[{"ErrorEquals":["A"],"MaxAttempts":1},{"ErrorEquals":["B"],"IntervalSeconds":5,"MaxAttempts":1}]`, []outcome{failureOutcome("A"), failureOutcome("B"), ok}, secondsList(0, 1, 6), "SUCCEEDED"},
		"each retrier counts its own attempts": {`[{"ErrorEquals":["A"],"MaxAttempts":2},{"ErrorEquals":["B"],"MaxAttempts":2}]`, []outcome{failureOutcome("A"), failureOutcome("B"), failureOutcome("A"), failureOutcome("B"), failureOutcome("A")}, secondsList(0, 1, 2, 4, 6), "FAILED"},
		"first matching retrier":               {`[{"ErrorEquals":["A"],"MaxAttempts":1},{"ErrorEquals":["States.ALL"],"MaxAttempts":5}]`, []outcome{failureOutcome("A")}, secondsList(0, 1), "FAILED"},
		"error changes":                        {`[{"ErrorEquals":["A"],"MaxAttempts":5}]`, []outcome{failureOutcome("A"), failureOutcome("B")}, secondsList(0, 1), "FAILED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t, statesMachine(`"S":{`+invokeF+`,"Retry":`+c.retry+`}`), map[string][]outcome{"f": c.script})
				arn := w.start(`{}`)
				require.Equal(t, c.status, w.waitEnded(arn)["status"])
				require.Equal(t, c.attempt, w.attemptTimes(arn))
			})
		})
	}
}

// A retry evaluates the parameters again, and each visit of a state has its own retry count.
func TestRetryCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		task := `"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f","Payload":{"n.$":"$$.State.RetryCount"}},"Retry":[{"ErrorEquals":["A"]}]`
		w := newHarness(t, statesMachine(`"S":{`+task+`,"Next":"T"},"T":{`+task+`,"End":true}`),
			map[string][]outcome{"f": {failureOutcome("A"), failureOutcome("A"), {result: `{}`}, failureOutcome("A"), {result: `{}`}}})
		arn := w.start(`{}`)
		require.Equal(t, "SUCCEEDED", w.waitEnded(arn)["status"])
		var counts []any
		for _, c := range w.functions.record("f") {
			counts = append(counts, c.Payload["n"])
		}
		require.Equal(t, []any{0.0, 1.0, 2.0, 0.0, 1.0}, counts)
	})
}

// forkedTask returns a machine with a task S and two ends, X and Y, both reachable
// whether or not S catches errors into them.
func forkedTask(task string) string {
	return `{"StartAt":"Fork","States":{"Fork":{"Type":"Choice","Choices":[{"Variable":"$.to","StringEquals":"X","Next":"X"},{"Variable":"$.to","StringEquals":"Y","Next":"Y"}],"Default":"S"},
		"S":{` + task + `},"X":{"Type":"Succeed"},"Y":{"Type":"Succeed"}}}`
}

func TestCatch(t *testing.T) {
	t.Parallel()
	const cause = `{\"errorType\":\"A\",\"errorMessage\":\"m\"}`
	for name, c := range map[string]struct {
		task   string
		script outcome
		next   string // "" if there is no catcher
		output string // of S
	}{
		"catcher by error name":                         {invokeF + `,"Catch":[{"ErrorEquals":["A"],"Next":"X"}]`, failureOutcome("A"), "X", `{"Error":"A","Cause":"` + cause + `"}`},
		"catcher for another error":                     {invokeF + `,"Catch":[{"ErrorEquals":["B"],"Next":"X"}]`, failureOutcome("A"), "", ""},
		"first matching catcher":                        {invokeF + `,"Catch":[{"ErrorEquals":["B"],"Next":"X"},{"ErrorEquals":["States.TaskFailed"],"Next":"Y"},{"ErrorEquals":["States.ALL"],"Next":"X"}]`, failureOutcome("A"), "Y", `{"Error":"A","Cause":"` + cause + `"}`},
		"error stored next to the input":                {invokeF + `,"ResultPath":"$.r","Catch":[{"ErrorEquals":["A"],"ResultPath":"$.error","Next":"X"}]`, failureOutcome("A"), "X", `{"id":7,"to":"S","error":{"Error":"A","Cause":"` + cause + `"}}`},
		"dropped":                                       {invokeF + `,"Catch":[{"ErrorEquals":["A"],"ResultPath":null,"Next":"X"}]`, failureOutcome("A"), "X", `{"id":7,"to":"S"}`},
		"timeout":                                       {invokeF + `,"TimeoutSeconds":5,"Catch":[{"ErrorEquals":["States.TaskFailed"],"Next":"X"},{"ErrorEquals":["States.Timeout"],"Next":"Y"}]`, outcome{blocking: true}, "Y", `{"Error":"States.Timeout","Cause":""}`},
		"States.ALL catches timeouts":                   {invokeF + `,"TimeoutSeconds":5,"Catch":[{"ErrorEquals":["States.ALL"],"Next":"Y"}]`, outcome{blocking: true}, "Y", `{"Error":"States.Timeout","Cause":""}`},
		"States.ALL does not catch States.Runtime":      {invokeF + `,"ResultSelector":{"x.$":"$.no"},"Catch":[{"ErrorEquals":["States.ALL"],"Next":"X"}]`, outcome{result: `{}`}, "", ""},
		"States.Runtime cannot be caught by name":       {invokeF + `,"ResultSelector":{"x.$":"$.no"},"Catch":[{"ErrorEquals":["States.Runtime"],"Next":"X"}]`, outcome{result: `{}`}, "", ""},
		"States.ResultPathMatchFailure caught by name":  {invokeF + `,"ResultPath":"$.id.x","Catch":[{"ErrorEquals":["States.ResultPathMatchFailure"],"ResultPath":null,"Next":"X"}]`, outcome{result: `{}`}, "X", `{"id":7,"to":"S"}`},
		"States.ALL catches results that are too large": {invokeF + `,"Catch":[{"ErrorEquals":["States.ALL"],"ResultPath":null,"Next":"X"}]`, outcome{result: `"` + strings.Repeat("x", 262144) + `"`}, "X", `{"id":7,"to":"S"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t, forkedTask(c.task), map[string][]outcome{"f": {c.script}})
				arn := w.start(`{"id":7,"to":"S"}`)
				x := w.waitEnded(arn)
				if c.next == "" {
					require.Equal(t, "FAILED", x["status"])
					require.Equal(t, []string{"Fork", "S"}, w.statePath(arn))
					return
				}
				require.Equal(t, "SUCCEEDED", x["status"])
				require.Equal(t, []string{"Fork", "S", c.next}, w.statePath(arn))
				for _, e := range w.events(arn) {
					if e.StateExited != nil && e.StateExited.Name == "S" {
						require.JSONEq(t, c.output, e.StateExited.Output.Output)
					}
				}
			})
		})
	}
}

// Retries come before Catchers.
func TestRetryThenCatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, statesMachine(`"S":{`+invokeF+`,"Retry":[{"ErrorEquals":["A"],"MaxAttempts":2}],"Catch":[{"ErrorEquals":["A"],"Next":"D"}]},`+succeedState),
			map[string][]outcome{"f": {failureOutcome("A")}})
		arn := w.start(`{}`)
		require.Equal(t, "SUCCEEDED", w.waitEnded(arn)["status"])
		require.Equal(t, secondsList(0, 1, 3), w.attemptTimes(arn))
		require.Equal(t, []string{"S", "D"}, w.statePath(arn))
	})
}
