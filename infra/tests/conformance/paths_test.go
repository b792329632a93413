package conformance

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/lambdaapi"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/statemachine"
	"github.com/loadbay/loadbay/infra/tests/mototest"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// waitForTaskToken is the name, in the history, of a function in a waiting state.
const waitForTaskToken = "invoke.waitForTaskToken"

// permanentError is an error that is never retried.
const permanentError = "POISON"

// executionPath is one path through the import: the results of the functions, and how the
// waiting tasks are completed.
type executionPath struct {
	// functions maps a function to its results; the last one repeats for all further calls. A
	// text that is not JSON is the name of an error.
	functions map[string][]string
	// replies complete the waiting states in order: an output or the name of an error.
	replies []string
}

// executionPaths returns paths that cover every state, every Catch, every Retry, and every choice.
func executionPaths() map[string]executionPath {
	const (
		columns, cells, whole = `{"next":"COLUMN_MAPPING"}`, `{"next":"CELL_MAPPING"}`, `{"next":"WHOLE_FILE"}`
		again, done           = `{"next":"CONTINUE"}`, `{"next":"COMPLETE"}`
		approval, apply       = `{"next":"APPROVAL"}`, `{"next":"APPLY"}`
		reread, wholeCells    = `{"next":"ANALYZE"}`, `{"next":"WHOLE_FILE_CELL_MAPPING"}`
	)
	with := func(changes map[string][]string, replies ...string) executionPath {
		return executionPath{changes, replies}
	}
	return map[string]executionPath{
		"straight through": with(nil, done),
		"all is asked, and everything is tried again": with(map[string][]string{
			"analyze": {"Transient", "TOO_MANY_REQUESTS", columns}, "resolve": {"Lambda.ServiceException", cells},
			"split": {"Lambda.TooManyRequestsException", "TOO_MANY_REQUESTS", `{}`},
			"await": {"Lambda.Unknown", `{}`, "Sandbox.Timedout", `{}`, "Runtime.ExitError", `{}`}, "complete": {"Lambda.AWSLambdaException", `{}`},
		}, cells, done, cells, done, done),
		"the file is read again":         with(map[string][]string{"analyze": {columns, columns, cells}, "resolve": {cells, done}}, reread, cells, reread, done),
		"a whole file that asks":         with(map[string][]string{"analyze": {columns}, "resolve": {wholeCells}, "wholefile": {done}}, cells, done),
		"a whole file that asks nothing": with(map[string][]string{"resolve": {whole}, "wholefile": {done}}),
		"whole file":                     with(map[string][]string{"analyze": {whole}, "wholefile": {"Lambda.SdkClientException", "TOO_MANY_REQUESTS", again, done}}),
		"a plan that is applied":         with(map[string][]string{"await": {`{}`, "Transient", `{}`}}, approval, apply, done),
		"a plan of a whole file":         with(map[string][]string{"analyze": {whole}, "wholefile": {approval}}, apply, done),
		"an undo that is applied":        with(map[string][]string{"analyze": {whole}, "wholefile": {approval, done}}, `{"next":"UNDO"}`),
		"a plan is refused":              with(nil, approval, permanentError),
		"Analyze fails":                  with(map[string][]string{"analyze": {permanentError}, "fail": {"Transient", `{"status":"FAILED"}`}}),
		"ResolveCells fails":             with(map[string][]string{"resolve": {permanentError}}),
		"Split fails":                    with(map[string][]string{"split": {permanentError}}),
		"Complete fails":                 with(map[string][]string{"complete": {permanentError}}, done),
		"ProcessWholeFile fails":         with(map[string][]string{"analyze": {whole}, "wholefile": {permanentError}}),
		"columns are refused":            with(map[string][]string{"analyze": {columns}}, permanentError),
		"cells are refused":              with(map[string][]string{"resolve": {cells}}, permanentError),
		"rows fail":                      with(nil, permanentError),
	}
}

// scriptedFunctions simulates the import's functions.
type scriptedFunctions struct {
	mu      sync.Mutex
	scripts map[string][]string
	tokens  chan string
}

func newScriptedFunctions() *scriptedFunctions {
	return &scriptedFunctions{tokens: make(chan string, 1)}
}

// setScript starts a path.
func (a *scriptedFunctions) setScript(w executionPath) {
	scripts := map[string][]string{
		"analyze": {`{"next":"CELL_MAPPING"}`}, "resolve": {`{"next":"PROCESSING"}`}, "split": {`{}`}, "await": {`{}`},
		"wholefile": {`{"next":"DONE"}`}, "complete": {`{}`}, "fail": {`{"status":"FAILED"}`},
	}
	for function, script := range w.functions {
		scripts[function] = script
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.scripts = scripts
}

// Invoke returns the scripted result and stores the token of a waiting state.
func (a *scriptedFunctions) Invoke(_ context.Context, function string, payload []byte) ([]byte, string, error) {
	answer := a.nextReply(function[strings.LastIndex(function, ":")+1:])
	if !strings.HasPrefix(answer, "{") {
		text, err := json.Marshal(map[string]string{"errorType": answer, "errorMessage": "m"})
		return text, "Unhandled", err
	}
	var event struct{ TaskToken string }
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, "", err
	}
	if event.TaskToken != "" {
		a.tokens <- event.TaskToken
	}
	return []byte(answer), "", nil
}

func (a *scriptedFunctions) nextReply(function string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	script := a.scripts[function]
	if len(script) == 0 {
		return "NOBODY_PLAYS_" + function
	}
	if len(script) > 1 {
		a.scripts[function] = script[1:]
	}
	return script[0]
}

// InvokeAsync is never called.
func (a *scriptedFunctions) InvokeAsync(context.Context, string, []byte) error {
	return awsjson.Unsupported("Lambda", "Event")
}

// importMachine returns the deployed definition, with functions referenced by name.
func importMachine(name string) local.Machine {
	functions := map[string]string{}
	for _, f := range blueprint.New().Functions {
		functions[f.Name] = f.Name
	}
	return local.Machine{Name: name, Definition: statemachine.Import, Substitutions: functions}
}

// substituteNames returns the definition after CloudFormation's substitutions.
func substituteNames(m local.Machine) string {
	text := m.Definition
	for name, value := range m.Substitutions {
		text = strings.ReplaceAll(text, "${"+name+"}", value)
	}
	return text
}

// runPath runs a path and returns which states were entered and left, in order, and
// the final status.
func (w *stateMachine) runPath(t *testing.T, cast *scriptedFunctions, through executionPath) (steps []string, status types.ExecutionStatus) {
	t.Helper()
	cast.setScript(through)
	arn := w.start(t, uniqueName("way"), `{"jobId":"9d8f1f0e-2f0a-4c39-8d0a-0f4b5a7c1e11","organisationId":7}`)
	for n, reply := range through.replies {
		w.awaitCompletion(t, arn, n+1)
		w.reply(t, cast, reply)
	}
	ended := w.awaitEnd(t, arn)
	for _, e := range w.history(t, sfn.GetExecutionHistoryInput{ExecutionArn: &arn}) {
		if d := e.StateEnteredEventDetails; d != nil {
			steps = append(steps, "into "+*d.Name)
		}
		if d := e.StateExitedEventDetails; d != nil {
			steps = append(steps, "out of "+*d.Name)
		}
	}
	return steps, ended.Status
}

// awaitCompletion returns when a state waits for the n-th completion of an execution: moto
// accepts none before it has recorded the function's result.
func (w *stateMachine) awaitCompletion(t *testing.T, arn string, n int) {
	t.Helper()
	stacktest.Await(t, "a state waits for a task token", func() bool {
		submitted := 0
		for _, e := range w.history(t, sfn.GetExecutionHistoryInput{ExecutionArn: &arn}) {
			if e.Type == types.HistoryEventTypeTaskSubmitted && *e.TaskSubmittedEventDetails.Resource == waitForTaskToken {
				submitted++
			}
		}
		return submitted >= n
	})
}

func (w *stateMachine) reply(t *testing.T, cast *scriptedFunctions, reply string) {
	t.Helper()
	var token string
	select {
	case token = <-cast.tokens:
	case <-time.After(waitTimeout):
		require.FailNow(t, "no state waits for a task token")
	}
	var err error
	if strings.HasPrefix(reply, "{") {
		_, err = w.SendTaskSuccess(t.Context(), &sfn.SendTaskSuccessInput{TaskToken: &token, Output: &reply})
	} else {
		_, err = w.SendTaskFailure(t.Context(), &sfn.SendTaskFailureInput{TaskToken: &token, Error: &reply, Cause: aws.String("c")})
	}
	require.NoError(t, err)
}

// TestMotoFollowsSamePaths executes the import's definition with the local
// interpreter and with moto's independent one, with the same functions.
func TestMotoFollowsSamePaths(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t)
	moto, theirCast := setupMoto(t)
	ours, ourCast := setupImport(t)
	for name, through := range executionPaths() {
		t.Run(name, func(t *testing.T) { // sequential: the paths share the scripted functions
			var want, got []string
			var wantStatus, gotStatus types.ExecutionStatus
			// Two subtests, so that their names show which side failed.
			if !t.Run("here", func(t *testing.T) { want, wantStatus = ours.runPath(t, ourCast, through) }) {
				return
			}
			if !t.Run("moto", func(t *testing.T) {
				theirs := &stateMachine{Client: moto} // in moto 5.2 a state machine runs only one execution
				theirs.create(t, uniqueName("import"), substituteNames(importMachine("import")))
				got, gotStatus = theirs.runPath(t, theirCast, through)
			}) {
				return
			}
			require.Equal(t, got, want)
			require.Equal(t, gotStatus, wantStatus)
		})
	}
}

func setupImport(t *testing.T) (*stateMachine, *scriptedFunctions) {
	t.Helper()
	cast := newScriptedFunctions()
	s, err := local.New(openDatabase(t), []local.Machine{importMachine("import")}, cast, local.WithRandom(func() float64 { return 0 }))
	require.NoError(t, err)
	require.NoError(t, s.Resume())
	t.Cleanup(s.Close)
	url := startEndpoint(t, awsendpoint.Config{Services: []awsjson.Service{s}})
	return &stateMachine{Client: sfn.NewFromConfig(clientConfig(url)), arn: local.MachineARN("import")}, cast
}

func setupMoto(t *testing.T) (*sfn.Client, *scriptedFunctions) {
	t.Helper()
	cast := newScriptedFunctions()
	url, _ := mototest.Start(t, func(moto http.Handler) http.Handler {
		door := http.NewServeMux()
		door.Handle("/", moto)
		door.Handle("/2015-03-31/functions/", lambdaapi.Handler(cast))
		return door
	})
	return sfn.NewFromConfig(stacktest.AWSConfig(url)), cast // the SDK retries requests that moto drops
}
