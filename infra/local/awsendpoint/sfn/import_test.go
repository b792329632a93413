package sfn_test

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/statemachine"
)

const (
	importInput = `{"jobId":"9d8f1f0e-2f0a-4c39-8d0a-0f4b5a7c1e11","organisationId":7}`
	day         = 24 * time.Hour
)

// importMachine is the definition that AWS runs.
func importMachine() []sfn.Machine {
	substitutions := map[string]string{}
	for _, f := range blueprint.New().Functions {
		substitutions[f.Name] = f.Name
	}
	return []sfn.Machine{{Name: "loadbay-import", Definition: statemachine.Import, Substitutions: substitutions}}
}

func nextState(step string) outcome { return outcome{result: `{"next":"` + step + `"}`} }

// successScripts returns functions for a successful import, with the given changes.
func successScripts(changes map[string][]outcome) map[string][]outcome {
	all := map[string][]outcome{
		"analyze": {nextState("CELL_MAPPING")}, "resolve": {nextState("PROCESSING")}, "split": {{result: `{}`}}, "await": {{result: `{}`}},
		"wholefile": {nextState("DONE")}, "complete": {{result: `{}`}}, "fail": {{result: `{"status":"FAILED"}`}},
	}
	for name, script := range changes {
		all[name] = script
	}
	return all
}

// runningImport is an import in progress.
type runningImport struct {
	*harness
	arn string
}

func newImport(t *testing.T, changes map[string][]outcome) *runningImport {
	t.Helper()
	w := newHarnessOf(t, importMachine(), successScripts(changes))
	return &runningImport{harness: w, arn: w.startInput("loadbay-import", "one", importInput)}
}

// confirm completes the waiting task.
func (i *runningImport) confirm(output string) {
	i.t.Helper()
	i.succeedTask(i.functions.lastToken(i.t, "await"), output)
}

func (i *runningImport) failed(cause string) {
	i.t.Helper()
	x := i.waitEnded(i.arn)
	require.Equal(i.t, "FAILED", x["status"])
	require.Equal(i.t, cause, x["cause"])
}

func TestImportPaths(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		functions map[string][]outcome
		answers   []string
		path      []string
	}{
		"no questions": {nil, []string{`{"next":"COMPLETE"}`},
			[]string{"Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "Complete", "Completed"}},
		"columns": {map[string][]outcome{"analyze": {nextState("COLUMN_MAPPING")}}, []string{`{"next":"CELL_MAPPING"}`, `{"next":"COMPLETE"}`},
			[]string{"Analyze", "ChooseNextPhase", "AwaitColumnMapping", "ChooseAnalyzeOrResolveCells", "ResolveCells", "ChooseCellMappingOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "Complete", "Completed"}},
		"column and value questions": {map[string][]outcome{"analyze": {nextState("COLUMN_MAPPING")}, "resolve": {nextState("CELL_MAPPING")}}, []string{`{"next":"CELL_MAPPING"}`, `{"next":"COMPLETE"}`, `{"next":"COMPLETE"}`},
			[]string{"Analyze", "ChooseNextPhase", "AwaitColumnMapping", "ChooseAnalyzeOrResolveCells", "ResolveCells", "ChooseCellMappingOrSplit", "AwaitCellMapping", "ChooseAnalyzeOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "Complete", "Completed"}},
		"rows deferred twice": {nil, []string{`{"next":"CELL_MAPPING"}`, `{"next":"COMPLETE"}`, `{"next":"CELL_MAPPING"}`, `{"next":"COMPLETE"}`, `{"next":"COMPLETE"}`},
			[]string{"Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "AwaitCellMapping", "ChooseAnalyzeOrSplit", "Split", "AwaitRows",
				"ChooseCellMappingOrComplete", "AwaitCellMapping", "ChooseAnalyzeOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "Complete", "Completed"}},
		"a plan": {nil, []string{`{"next":"APPROVAL"}`, `{"next":"APPLY"}`, `{"next":"COMPLETE"}`},
			[]string{"Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "AwaitApproval", "ChooseUndoOrSplit", "Split", "AwaitRows",
				"ChooseCellMappingOrComplete", "Complete", "Completed"}},
		"reanalysed during column and value questions": {map[string][]outcome{"analyze": {nextState("COLUMN_MAPPING"), nextState("COLUMN_MAPPING"), nextState("CELL_MAPPING")}, "resolve": {nextState("CELL_MAPPING"), nextState("SPLIT")}},
			[]string{`{"next":"ANALYZE"}`, `{"next":"CELL_MAPPING"}`, `{"next":"ANALYZE"}`, `{"next":"COMPLETE"}`},
			[]string{"Analyze", "ChooseNextPhase", "AwaitColumnMapping", "ChooseAnalyzeOrResolveCells", "Analyze", "ChooseNextPhase", "AwaitColumnMapping", "ChooseAnalyzeOrResolveCells",
				"ResolveCells", "ChooseCellMappingOrSplit", "AwaitCellMapping", "ChooseAnalyzeOrSplit", "Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "Split",
				"AwaitRows", "ChooseCellMappingOrComplete", "Complete", "Completed"}},
		"whole file with column questions": {map[string][]outcome{"analyze": {nextState("COLUMN_MAPPING")}, "resolve": {nextState("WHOLE_FILE_CELL_MAPPING"), nextState("WHOLE_FILE")}, "wholefile": {nextState("DONE")}},
			[]string{`{"next":"CELL_MAPPING"}`, `{"next":"ANALYZE"}`, `{"next":"CELL_MAPPING"}`},
			[]string{"Analyze", "ChooseNextPhase", "AwaitColumnMapping", "ChooseAnalyzeOrResolveCells", "ResolveCells", "ChooseCellMappingOrSplit", "AwaitCellMapping", "ChooseAnalyzeOrSplit",
				"Analyze", "ChooseNextPhase", "AwaitColumnMapping", "ChooseAnalyzeOrResolveCells", "ResolveCells", "ChooseCellMappingOrSplit", "ProcessWholeFile", "ChooseContinueOrComplete", "Complete", "Completed"}},
		"whole file with value questions": {map[string][]outcome{"resolve": {nextState("WHOLE_FILE_CELL_MAPPING")}, "wholefile": {nextState("CONTINUE"), nextState("DONE")}}, []string{`{"next":"COMPLETE"}`},
			[]string{"Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "AwaitCellMapping", "ChooseAnalyzeOrSplit", "ProcessWholeFile", "ChooseContinueOrComplete", "ProcessWholeFile", "ChooseContinueOrComplete", "Complete", "Completed"}},
		"plan of a whole file": {map[string][]outcome{"analyze": {nextState("WHOLE_FILE")}, "wholefile": {nextState("APPROVAL")}}, []string{`{"next":"APPLY"}`, `{"next":"COMPLETE"}`},
			[]string{"Analyze", "ChooseNextPhase", "ProcessWholeFile", "ChooseContinueOrComplete", "AwaitApproval", "ChooseUndoOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "Complete", "Completed"}},
		"approved undo": {map[string][]outcome{"analyze": {nextState("WHOLE_FILE")}, "wholefile": {nextState("APPROVAL"), nextState("CONTINUE"), nextState("DONE")}}, []string{`{"next":"UNDO"}`},
			[]string{"Analyze", "ChooseNextPhase", "ProcessWholeFile", "ChooseContinueOrComplete", "AwaitApproval", "ChooseUndoOrSplit", "ProcessWholeFile", "ChooseContinueOrComplete", "ProcessWholeFile", "ChooseContinueOrComplete", "Complete", "Completed"}},
		"whole file": {map[string][]outcome{"analyze": {nextState("WHOLE_FILE")}, "wholefile": {nextState("CONTINUE"), nextState("CONTINUE"), nextState("DONE")}}, nil,
			[]string{"Analyze", "ChooseNextPhase", "ProcessWholeFile", "ChooseContinueOrComplete", "ProcessWholeFile", "ChooseContinueOrComplete", "ProcessWholeFile", "ChooseContinueOrComplete", "Complete", "Completed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				i := newImport(t, c.functions)
				for _, answer := range c.answers {
					i.advance(day)
					i.confirm(answer)
				}
				require.Equal(t, "SUCCEEDED", i.describe(i.arn)["status"])
				require.Equal(t, c.path, i.statePath(i.arn))
			})
		})
	}
}

// Functions receive ids, the phase, the token and the version of the machine, and nothing else
// about the job.
func TestImportPayloads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := newImport(t, map[string][]outcome{"analyze": {nextState("COLUMN_MAPPING")}, "resolve": {nextState("CELL_MAPPING")}})
		i.confirm(`{"next":"CELL_MAPPING"}`)
		i.confirm(`{"next":"COMPLETE"}`)
		i.confirm(`{"next":"COMPLETE"}`)
		ids := map[string]any{"jobId": "9d8f1f0e-2f0a-4c39-8d0a-0f4b5a7c1e11", "organisationId": 7.0}
		for _, function := range []string{"analyze", "resolve", "split"} {
			require.Equal(t, []call{{Function: function, Payload: map[string]any{"jobId": ids["jobId"], "organisationId": 7.0, "machine": 3.0}}}, i.functions.record(function))
		}
		require.Equal(t, []call{{Function: "complete", Payload: ids}}, i.functions.record("complete"))
		phases := []string{"COLUMN_MAPPING", "CELL_MAPPING", "ROWS"}
		calls := i.functions.record("await")
		require.Len(t, calls, 3)
		for n, c := range calls {
			require.Len(t, c.Payload, 4)
			require.Equal(t, ids["jobId"], c.Payload["jobId"])
			require.Equal(t, ids["organisationId"], c.Payload["organisationId"])
			require.Equal(t, phases[n], c.Payload["phase"])
		}
	})
}

// importStep is a task of the import: its function, and scripts that lead an import to the task
// without an earlier call of that function.
type importStep struct {
	function string
	scripts  map[string][]outcome
	path     []string // states before it
	waits    bool
	timeout  time.Duration
}

func importSteps() map[string]importStep {
	columns := map[string][]outcome{"analyze": {nextState("COLUMN_MAPPING")}}
	cells := map[string][]outcome{"resolve": {nextState("CELL_MAPPING")}}
	whole := map[string][]outcome{"analyze": {nextState("WHOLE_FILE")}}
	return map[string]importStep{
		"Analyze":            {"analyze", nil, []string{"Analyze"}, false, 330 * time.Second},
		"AwaitColumnMapping": {"await", columns, []string{"Analyze", "ChooseNextPhase", "AwaitColumnMapping"}, true, 90 * day},
		"ResolveCells":       {"resolve", nil, []string{"Analyze", "ChooseNextPhase", "ResolveCells"}, false, 930 * time.Second},
		"AwaitCellMapping":   {"await", cells, []string{"Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "AwaitCellMapping"}, true, 90 * day},
		"Split":              {"split", nil, []string{"Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "Split"}, false, 930 * time.Second},
		"AwaitRows":          {"await", nil, []string{"Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "Split", "AwaitRows"}, true, 14 * day},
		"ProcessWholeFile":   {"wholefile", whole, []string{"Analyze", "ChooseNextPhase", "ProcessWholeFile"}, false, 930 * time.Second},
		"Complete":           {"complete", whole, []string{"Analyze", "ChooseNextPhase", "ProcessWholeFile", "ChooseContinueOrComplete", "Complete"}, false, 90 * time.Second},
	}
}

func (s importStep) scriptsWith(script ...outcome) map[string][]outcome {
	changes := map[string][]outcome{s.function: script}
	for name, script := range s.scripts {
		changes[name] = script
	}
	return changes
}

// runSteps runs a test for each step of the import.
func runSteps(t *testing.T, test func(t *testing.T, s importStep)) {
	t.Helper()
	for name, s := range importSteps() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, s) })
		})
	}
}

const failedImportCause = "Import 9d8f1f0e-2f0a-4c39-8d0a-0f4b5a7c1e11 ended as FAILED. The job holds the reason."

// An error without a Retrier leads to Fail, which receives its name and cause.
func TestImportCatch(t *testing.T) {
	t.Parallel()
	runSteps(t, func(t *testing.T, s importStep) {
		i := newImport(t, s.scriptsWith(failureOutcome("Poison")))
		i.failed(failedImportCause)
		require.Equal(t, append(s.path, "Fail", "Failed"), i.statePath(i.arn))
		require.Equal(t, "Poison", i.describe(i.arn)["error"])
		require.Len(t, i.functions.record(s.function), 1)
		require.Equal(t, []call{{Function: "fail", Payload: map[string]any{
			"jobId": "9d8f1f0e-2f0a-4c39-8d0a-0f4b5a7c1e11", "organisationId": 7.0,
			"error": "Poison", "cause": `{"errorType":"Poison","errorMessage":"m"}`,
		}}}, i.functions.record("fail"))
	})
}

// A task that fails unexpectedly is retried five times, within a minute, before its error is caught.
func TestImportCatchAfterRetries(t *testing.T) {
	t.Parallel()
	runSteps(t, func(t *testing.T, s importStep) {
		i := newImport(t, s.scriptsWith(failureOutcome("Lambda.Unknown")))
		i.failed(failedImportCause)
		require.Len(t, i.functions.record(s.function), 6)
		require.Equal(t, append(s.path, "Fail", "Failed"), i.statePath(i.arn))
		begun := i.attemptTimes(i.arn)
		require.Equal(t, secondsList(0, 0.5, 1.5, 3.5, 7.5, 15.5), begun[len(begun)-7:len(begun)-1], "jitter halves the delays of 1, 2, 4, 8 and 16 s; the last attempt belongs to the Fail state")
	})
}

// An import survives each error that the definition retries.
func TestImportRetries(t *testing.T) {
	t.Parallel()
	names := append(transientErrors(), "Transient", "Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.SdkClientException",
		"Lambda.Unknown", "Runtime.ExitError", "Sandbox.Timedout")
	runSteps(t, func(t *testing.T, s importStep) {
		for _, name := range names {
			clean := successScripts(s.scripts)[s.function][0]
			i := newImport(t, s.scriptsWith(failureOutcome(name), clean))
			i.advance(time.Minute)
			if s.waits {
				require.Equal(t, s.path, i.statePath(i.arn), name)
			} else {
				require.Greater(t, len(i.statePath(i.arn)), len(s.path), name)
			}
			require.Len(t, i.functions.record(s.function), 2, name)
			require.NotContains(t, i.statePath(i.arn), "Fail", name)
		}
	})
}

// transientErrors are Lambda's errors that do not come from the function: it is throttled or
// being prepared.
// https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors
func transientErrors() []string {
	return []string{
		"Lambda.TooManyRequestsException", "Lambda.ResourceNotReadyException",
		"Lambda.EC2ThrottledException", "Lambda.EC2UnexpectedException", "Lambda.EC2AccessDeniedException",
		"Lambda.ENILimitReachedException", "Lambda.ENINotReadyException", "Lambda.SubnetIPAddressLimitReachedException",
		"Lambda.KMSAccessDeniedException", "Lambda.KMSDisabledException", "Lambda.KMSInvalidStateException", "Lambda.KMSNotFoundException",
	}
}

// A function that cannot reach the database, is throttled, or inactive after weeks without a call, is
// retried for 18 minutes if every delay is half of its maximum.
func TestImportRetriesOutages(t *testing.T) {
	t.Parallel()
	runSteps(t, func(t *testing.T, s importStep) {
		for _, name := range append(transientErrors(), "Transient") {
			script := slices.Repeat([]outcome{failureOutcome(name)}, 40)
			i := newImport(t, s.scriptsWith(append(script, successScripts(s.scripts)[s.function][0])...))
			i.advance(18 * time.Minute)
			require.NotContains(t, i.statePath(i.arn), "Fail", name)
			i.advance(2 * time.Minute)
			require.Len(t, i.functions.record(s.function), 41, name)
			require.NotContains(t, i.statePath(i.arn), "Fail", name)
		}
	})
}

// An organisation that reads too many large files at once waits for hours before an import fails.
func TestImportWaitsForSlot(t *testing.T) {
	t.Parallel()
	runSteps(t, func(t *testing.T, s importStep) {
		if !slices.Contains([]string{"analyze", "resolve", "split", "wholefile"}, s.function) {
			return
		}
		script := slices.Repeat([]outcome{failureOutcome("TOO_MANY_REQUESTS")}, 300)
		i := newImport(t, s.scriptsWith(append(script, successScripts(s.scripts)[s.function][0])...))
		i.advance(2 * time.Hour)
		require.Len(t, i.functions.record(s.function), 245, "jitter halves the delays of up to a minute")
		i.advance(time.Hour)
		require.Len(t, i.functions.record(s.function), 301)
		require.NotContains(t, i.statePath(i.arn), "Fail")
	})
}

func TestImportTimeouts(t *testing.T) {
	t.Parallel()
	runSteps(t, func(t *testing.T, s importStep) {
		stuck := outcome{blocking: true}
		if s.waits {
			stuck = outcome{result: `{}`}
		}
		changes := s.scriptsWith(stuck)
		changes["fail"] = []outcome{{result: `{"status":"CANCELLED"}`}}
		i := newImport(t, changes)
		i.advance(s.timeout - time.Second)
		require.Equal(t, "RUNNING", i.describe(i.arn)["status"])
		i.advance(time.Second)
		i.failed("Import 9d8f1f0e-2f0a-4c39-8d0a-0f4b5a7c1e11 ended as CANCELLED. The job holds the reason.")
		require.Equal(t, "States.Timeout", i.describe(i.arn)["error"])
		require.Equal(t, "States.Timeout", i.functions.record("fail")[0].Payload["error"])
		require.Empty(t, i.functions.record("fail")[0].Payload["cause"])
	})
}

// The retention of row chunks exceeds the time that their execution waits for them.
func TestRowRetentionExceedsWaitTimeout(t *testing.T) {
	t.Parallel()
	rows, _ := blueprint.New().Queue(blueprint.RowsQueue)
	require.GreaterOrEqual(t, rows.Retention, importSteps()["AwaitRows"].timeout)
}

// A waiting state can also fail through its token: permanently, or to retry with another token.
func TestImportFailureByToken(t *testing.T) {
	t.Parallel()
	runSteps(t, func(t *testing.T, s importStep) {
		if !s.waits {
			return
		}
		i := newImport(t, s.scripts)
		first := i.functions.lastToken(t, "await")
		i.mustCall("SendTaskFailure", map[string]any{"taskToken": first, "error": "Transient"})
		i.advance(time.Minute)
		second := i.functions.lastToken(t, "await")
		require.NotEqual(t, first, second)
		i.mustCall("SendTaskFailure", map[string]any{"taskToken": second, "error": "Poison", "cause": "c"})
		synctest.Wait()
		i.failed(failedImportCause)
		require.Equal(t, append(s.path, "Fail", "Failed"), i.statePath(i.arn))
	})
}

// AwaitApproval follows a decision in AwaitRows, and otherwise behaves like the waiting states
// above.
func TestImportAwaitApproval(t *testing.T) {
	t.Parallel()
	path := []string{"Analyze", "ChooseNextPhase", "ResolveCells", "ChooseCellMappingOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "AwaitApproval"}
	reach := func(t *testing.T, then ...outcome) *runningImport {
		t.Helper()
		i := newImport(t, map[string][]outcome{"await": append([]outcome{{result: `{}`}}, then...)})
		i.confirm(`{"next":"APPROVAL"}`)
		return i
	}
	synctest.Test(t, func(t *testing.T) {
		i := reach(t, failureOutcome("Poison"))
		i.failed(failedImportCause)
		require.Equal(t, append(path, "Fail", "Failed"), i.statePath(i.arn))
	})
	synctest.Test(t, func(t *testing.T) {
		i := reach(t, failureOutcome("Transient"), outcome{result: `{}`})
		i.advance(90*day - time.Minute)
		require.Equal(t, path, i.statePath(i.arn))
		calls := i.functions.record("await")
		require.Equal(t, "APPROVAL", calls[len(calls)-1].Payload["phase"])
		i.advance(time.Hour)
		i.failed(failedImportCause)
		require.Equal(t, "States.Timeout", i.functions.record("fail")[0].Payload["error"])
	})
	synctest.Test(t, func(t *testing.T) {
		i := reach(t, outcome{result: `{}`})
		i.mustCall("SendTaskFailure", map[string]any{"taskToken": i.functions.lastToken(t, "await"), "error": "Poison", "cause": "c"})
		synctest.Wait()
		i.failed(failedImportCause)
	})
}

// Fail is attempted nine times; then the execution fails with the last error.
func TestImportFailRetriesRunOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		throttled := slices.Repeat([]outcome{failureOutcome("Lambda.TooManyRequestsException")}, 15)
		i := newImport(t, map[string][]outcome{"analyze": {failureOutcome("Poison")}, "fail": append(throttled, outcome{result: `{"status":"FAILED"}`})})
		i.failed(failedImportCause)
		require.Len(t, i.functions.record("fail"), 16)
	})
	synctest.Test(t, func(t *testing.T) {
		i := newImport(t, map[string][]outcome{"analyze": {failureOutcome("Poison")}, "fail": {failureOutcome("Down")}})
		i.failed(`{"errorType":"Down","errorMessage":"m"}`)
		require.Len(t, i.functions.record("fail"), 9)
		require.Equal(t, []string{"Analyze", "Fail"}, i.statePath(i.arn))
	})
	synctest.Test(t, func(t *testing.T) {
		i := newImport(t, map[string][]outcome{"analyze": {failureOutcome("Poison")}, "fail": {failureOutcome("Down"), {blocking: true}, {result: `{"status":"FAILED"}`}}})
		i.failed(failedImportCause)
		require.Len(t, i.functions.record("fail"), 3, "a timeout is retried like any other error")
	})
}

// Cancelling stops the execution in any state.
func TestImportCancelled(t *testing.T) {
	t.Parallel()
	runSteps(t, func(t *testing.T, s importStep) {
		slow := successScripts(s.scripts)[s.function][0]
		if !s.waits {
			slow.after = time.Minute
		}
		i := newImport(t, s.scriptsWith(slow))
		require.Equal(t, s.path, i.statePath(i.arn))
		i.mustCall("StopExecution", map[string]any{"executionArn": i.arn, "cause": "cancelled"})
		i.advance(day)
		require.Equal(t, "ABORTED", i.describe(i.arn)["status"])
		require.Equal(t, s.path, i.statePath(i.arn), "no further state is entered")
		require.Len(t, i.functions.record(s.function), 1)
		if s.waits {
			i.requireRefused("TaskTimedOut", "SendTaskSuccess", map[string]any{"taskToken": i.functions.lastToken(t, "await"), "output": `{}`})
		}
	})
}

// The tables above cover every state and every Retrier and Catcher of the definition: new ones
// must be tested, too.
func TestImportStatesAreCovered(t *testing.T) {
	t.Parallel()
	var definition struct {
		States map[string]struct {
			Type  string
			Retry []json.RawMessage
			Catch []json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal([]byte(statemachine.Import), &definition))
	steps := importSteps()
	for name, state := range definition.States {
		if state.Type != "Task" || name == "Fail" {
			continue
		}
		if name != "AwaitApproval" { // TestImportAwaitApproval
			require.Contains(t, steps, name)
		}
		retriers := 2
		if slices.Contains([]string{"Analyze", "ResolveCells", "Split", "ProcessWholeFile"}, name) { // TestImportWaitsForSlot
			retriers++
		}
		require.Len(t, state.Retry, retriers, name)
		require.Len(t, state.Catch, 1, name)
	}
}
