package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// stateMachine is a state machine with a client.
type stateMachine struct {
	*sfn.Client
	arn string
	// tokens receives the tokens with which the function "ask" was invoked.
	tokens chan string
}

// Invoke runs the functions of the local tests: "ask" stores its task token,
// "echo" returns its payload, "break" fails.
func (w *stateMachine) Invoke(_ context.Context, function string, payload []byte) ([]byte, string, error) {
	switch function {
	case "ask":
		var event struct{ Token string }
		if err := json.Unmarshal(payload, &event); err != nil {
			return nil, "", err
		}
		w.tokens <- event.Token
		return []byte("null"), "", nil
	case "echo":
		return payload, "", nil
	case "break":
		return []byte(`{"errorType":"Broken","errorMessage":"it is"}`), "Unhandled", nil
	}
	return nil, "", awsjson.Errorf("ResourceNotFoundException", "Function not found: %s", function)
}

func setupWorkflow(t *testing.T, definition string) *stateMachine {
	t.Helper()
	name := uniqueName("machine")
	w := &stateMachine{tokens: make(chan string, 100)} // most are never read
	if url, ok := configuredEndpoint(); ok {
		w.Client = sfn.NewFromConfig(clientConfig(url))
		w.create(t, name, definition)
		return w
	}
	s, err := local.New(openDatabase(t), []local.Machine{{Name: name, Definition: definition}}, w)
	require.NoError(t, err)
	require.NoError(t, s.Resume())
	t.Cleanup(s.Close)
	w.arn = local.MachineARN(name)
	w.Client = sfn.NewFromConfig(clientConfig(startEndpoint(t, awsendpoint.Config{Services: []awsjson.Service{s}})))
	return w
}

// create creates the same state machine at another endpoint.
func (w *stateMachine) create(t *testing.T, name, definition string) {
	t.Helper()
	out, err := w.CreateStateMachine(t.Context(), &sfn.CreateStateMachineInput{
		Name: &name, Definition: &definition, RoleArn: aws.String("arn:aws:iam::123456789012:role/conformance"),
	})
	require.NoError(t, err)
	w.arn = *out.StateMachineArn
	t.Cleanup(func() {
		_, err := w.DeleteStateMachine(cleanupContext(t), &sfn.DeleteStateMachineInput{StateMachineArn: &w.arn})
		require.NoError(t, err)
	})
}

func (w *stateMachine) start(t *testing.T, name, input string) string {
	t.Helper()
	out, err := w.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &w.arn, Name: &name, Input: &input})
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), *out.StartDate, waitTimeout)
	return *out.ExecutionArn
}

func (w *stateMachine) describe(t *testing.T, arn string) *sfn.DescribeExecutionOutput {
	t.Helper()
	out, err := w.DescribeExecution(t.Context(), &sfn.DescribeExecutionInput{ExecutionArn: &arn})
	require.NoError(t, err)
	return out
}

// awaitEnd waits for the end of an execution.
func (w *stateMachine) awaitEnd(t *testing.T, arn string) *sfn.DescribeExecutionOutput {
	t.Helper()
	stacktest.Await(t, "the execution ends", func() bool { return w.describe(t, arn).Status != types.ExecutionStatusRunning })
	return w.describe(t, arn)
}

func (w *stateMachine) history(t *testing.T, input sfn.GetExecutionHistoryInput) []types.HistoryEvent {
	t.Helper()
	var events []types.HistoryEvent
	pages := sfn.NewGetExecutionHistoryPaginator(w, &input)
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		events = append(events, page.Events...)
	}
	return events
}

func eventTypes(events []types.HistoryEvent) []string {
	list := make([]string, len(events))
	for i, e := range events {
		list[i] = string(e.Type)
	}
	return list
}

const (
	plainDefinition = `{"StartAt":"Shape","States":{
		"Shape":{"Type":"Pass","Parameters":{"text.$":"States.Format('{} of {}', $.n, $$.Execution.Name)"},"ResultPath":"$.shaped","Next":"Fork"},
		"Fork":{"Type":"Choice","Choices":[{"Variable":"$.size","StringEquals":"big","Next":"Big"}],"Default":"Small"},
		"Big":{"Type":"Fail","Error":"TooBig","Cause":"more than 5"},
		"Small":{"Type":"Succeed"}}}`
	askDefinition = `{"StartAt":"Ask","States":{"Ask":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken",
		"Parameters":{"FunctionName":"ask","Payload":{"token.$":"$$.Task.Token"}},"TimeoutSeconds":600,"End":true}}}`
	pauseDefinition = `{"StartAt":"Rest","States":{"Rest":{"Type":"Wait","Seconds":3600,"End":true}}}`
)

// waitDefinition returns a definition that waits. At other endpoints it uses no function,
// which would have to be deployed; at the local endpoint it uses no Wait state, which is not
// implemented.
func waitDefinition() string {
	if _, ok := configuredEndpoint(); ok {
		return pauseDefinition
	}
	return askDefinition
}

// invokeDefinition returns a definition that invokes a function.
func invokeDefinition(function string) string {
	return `{"StartAt":"Call","States":{"Call":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke",
		"Parameters":{"FunctionName":"` + function + `","Payload.$":"$"},"ResultSelector":{"payload.$":"$.Payload","status.$":"$.StatusCode"},
		"Catch":[{"ErrorEquals":["Broken"],"ResultPath":"$.error","Next":"Mended"}],"End":true},"Mended":{"Type":"Succeed"}}}`
}

func TestStatesSucceed(t *testing.T) {
	t.Parallel()
	w := setupWorkflow(t, plainDefinition)
	arn := w.start(t, "first", `{"n":3,"size":"small"}`)
	out := w.awaitEnd(t, arn)
	require.Equal(t, types.ExecutionStatusSucceeded, out.Status)
	require.JSONEq(t, `{"n":3,"size":"small","shaped":{"text":"3 of first"}}`, *out.Output)
	require.Equal(t, "first", *out.Name)
	require.Equal(t, w.arn, *out.StateMachineArn)
	require.False(t, out.StopDate.Before(*out.StartDate))

	events := w.history(t, sfn.GetExecutionHistoryInput{ExecutionArn: &arn, MaxResults: 3})
	require.Equal(t, []string{"ExecutionStarted", "PassStateEntered", "PassStateExited",
		"ChoiceStateEntered", "ChoiceStateExited", "SucceedStateEntered", "SucceedStateExited", "ExecutionSucceeded"}, eventTypes(events))
	for i, e := range events {
		require.EqualValues(t, i+1, e.Id)
	}
	require.JSONEq(t, `{"n":3,"size":"small"}`, *events[0].ExecutionStartedEventDetails.Input)
	require.Equal(t, "Shape", *events[1].StateEnteredEventDetails.Name)
	require.JSONEq(t, `{"n":3,"size":"small","shaped":{"text":"3 of first"}}`, *events[2].StateExitedEventDetails.Output)
}

func TestStatesHistoryPages(t *testing.T) {
	t.Parallel()
	w := setupWorkflow(t, plainDefinition)
	arn := w.start(t, "first", `{"n":3,"size":"small"}`)
	w.awaitEnd(t, arn)
	first, err := w.GetExecutionHistory(t.Context(), &sfn.GetExecutionHistoryInput{ExecutionArn: &arn, MaxResults: 4})
	require.NoError(t, err)
	require.Len(t, first.Events, 4)
	backwards := w.history(t, sfn.GetExecutionHistoryInput{ExecutionArn: &arn, MaxResults: 4, ReverseOrder: true})
	require.Len(t, backwards, 8)
	require.Equal(t, types.HistoryEventTypeExecutionSucceeded, backwards[0].Type)
	require.Equal(t, first.Events[0], backwards[7])
}

func TestStatesFail(t *testing.T) {
	t.Parallel()
	w := setupWorkflow(t, plainDefinition)
	arn := w.start(t, "first", `{"n":6,"size":"big"}`)
	out := w.awaitEnd(t, arn)
	require.Equal(t, types.ExecutionStatusFailed, out.Status)
	require.Equal(t, "TooBig", *out.Error)
	require.Equal(t, "more than 5", *out.Cause)
	events := w.history(t, sfn.GetExecutionHistoryInput{ExecutionArn: &arn})
	last := events[len(events)-1]
	require.Equal(t, types.HistoryEventTypeExecutionFailed, last.Type)
	require.Equal(t, "TooBig", *last.ExecutionFailedEventDetails.Error)
}

func TestStatesStart(t *testing.T) {
	t.Parallel()
	w := setupWorkflow(t, waitDefinition())
	first := w.start(t, "name", `{"a":1}`)
	require.Equal(t, first, w.start(t, "name", `{"a":1}`), "starting with the same name and input returns the same execution")

	start := func(name, input string) error {
		_, err := w.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &w.arn, Name: &name, Input: &input})
		return err
	}
	require.ErrorAs(t, start("name", `{"a":2}`), new(*types.ExecutionAlreadyExists))
	require.ErrorAs(t, start("a name", `{}`), new(*types.InvalidName))
	require.ErrorAs(t, start("other", `{`), new(*types.InvalidExecutionInput))

	_, err := w.StopExecution(t.Context(), &sfn.StopExecutionInput{ExecutionArn: &first})
	require.NoError(t, err)
	require.ErrorAs(t, start("name", `{"a":1}`), new(*types.ExecutionAlreadyExists), "the name stays reserved after the end")

	_, err = w.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: aws.String(w.arn + "x")})
	require.ErrorAs(t, err, new(*types.StateMachineDoesNotExist))
	_, err = w.DescribeExecution(t.Context(), &sfn.DescribeExecutionInput{ExecutionArn: aws.String(first + "x")})
	require.ErrorAs(t, err, new(*types.ExecutionDoesNotExist))
	_, err = w.DescribeExecution(t.Context(), &sfn.DescribeExecutionInput{ExecutionArn: aws.String("nonsense")})
	require.ErrorAs(t, err, new(*types.InvalidArn))
}

// Many callers start the same executions at once: each execution exists once.
func TestStatesConcurrentStart(t *testing.T) {
	t.Parallel()
	w := setupWorkflow(t, waitDefinition())
	var wait sync.WaitGroup
	for i := range 60 {
		name := fmt.Sprint("job-", i/3)
		wait.Go(func() {
			_, err := w.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &w.arn, Name: &name, Input: aws.String(`{}`)})
			if err != nil {
				t.Errorf("start %s: %v", name, err)
			}
		})
	}
	wait.Wait()
	seen := map[string]bool{}
	pages := sfn.NewListExecutionsPaginator(w, &sfn.ListExecutionsInput{StateMachineArn: &w.arn, MaxResults: 7, StatusFilter: types.ExecutionStatusRunning})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, x := range page.Executions {
			require.False(t, seen[*x.Name], "%s is listed twice", *x.Name)
			seen[*x.Name] = true
		}
	}
	require.Len(t, seen, 20)
}

func TestStatesStop(t *testing.T) {
	t.Parallel()
	w := setupWorkflow(t, waitDefinition())
	arn := w.start(t, "name", `{}`)
	stopped, err := w.StopExecution(t.Context(), &sfn.StopExecutionInput{ExecutionArn: &arn, Error: aws.String("Cancelled"), Cause: aws.String("by a person")})
	require.NoError(t, err)
	out := w.awaitEnd(t, arn)
	require.Equal(t, types.ExecutionStatusAborted, out.Status)
	require.NotNil(t, out.Error)
	require.NotNil(t, out.Cause)
	require.Equal(t, *stopped.StopDate, *out.StopDate)
	require.Equal(t, "Cancelled", *out.Error)
	require.Equal(t, "by a person", *out.Cause)
	events := eventTypes(w.history(t, sfn.GetExecutionHistoryInput{ExecutionArn: &arn}))
	require.Equal(t, "ExecutionStarted", events[0])
	require.Equal(t, "ExecutionAborted", events[len(events)-1])
	listed, err := w.ListExecutions(t.Context(), &sfn.ListExecutionsInput{StateMachineArn: &w.arn, StatusFilter: types.ExecutionStatusAborted})
	require.NoError(t, err)
	require.Len(t, listed.Executions, 1)
	require.Equal(t, arn, *listed.Executions[0].ExecutionArn)
}

func TestStatesDescribeMachine(t *testing.T) {
	t.Parallel()
	w := setupWorkflow(t, plainDefinition)
	out, err := w.DescribeStateMachine(t.Context(), &sfn.DescribeStateMachineInput{StateMachineArn: &w.arn})
	require.NoError(t, err)
	require.JSONEq(t, plainDefinition, *out.Definition)
	require.Equal(t, types.StateMachineTypeStandard, out.Type)
	require.Equal(t, types.StateMachineStatusActive, out.Status)
	require.True(t, strings.HasPrefix(*out.RoleArn, "arn:aws:iam::"))
	arn := w.start(t, "name", `{"n":1,"size":"small"}`)
	of, err := w.DescribeStateMachineForExecution(t.Context(), &sfn.DescribeStateMachineForExecutionInput{ExecutionArn: &arn})
	require.NoError(t, err)
	require.JSONEq(t, plainDefinition, *of.Definition)
	require.Equal(t, w.arn, *of.StateMachineArn)
	listed, err := w.ListStateMachines(t.Context(), &sfn.ListStateMachinesInput{})
	require.NoError(t, err)
	require.NotEmpty(t, listed.StateMachines)
}

func TestStatesInvoke(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t) // at other endpoints the functions would have to be deployed
	w := setupWorkflow(t, invokeDefinition("echo"))
	arn := w.start(t, "echo", `{"list":[1.50,null]}`)
	require.JSONEq(t, `{"payload":{"list":[1.50,null]},"status":200}`, *w.awaitEnd(t, arn).Output)
	events := w.history(t, sfn.GetExecutionHistoryInput{ExecutionArn: &arn})
	require.Equal(t, []string{"ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSucceeded", "TaskStateExited", "ExecutionSucceeded"}, eventTypes(events))
	require.Equal(t, "lambda", *events[2].TaskScheduledEventDetails.ResourceType)
	require.Equal(t, "invoke", *events[2].TaskScheduledEventDetails.Resource)

	w = setupWorkflow(t, invokeDefinition("break"))
	arn = w.start(t, "break", `{"a":1}`)
	require.JSONEq(t, `{"a":1,"error":{"Error":"Broken","Cause":"{\"errorType\":\"Broken\",\"errorMessage\":\"it is\"}"}}`, *w.awaitEnd(t, arn).Output)

	w = setupWorkflow(t, invokeDefinition("none"))
	arn = w.start(t, "none", `{}`)
	require.Equal(t, "Lambda.ResourceNotFoundException", *w.awaitEnd(t, arn).Error)
}

func TestStatesCallback(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t) // at other endpoints the function would have to be deployed
	w := setupWorkflow(t, askDefinition)
	arn := w.start(t, "name", `{}`)
	token := aws.String(<-w.tokens)
	_, err := w.SendTaskHeartbeat(t.Context(), &sfn.SendTaskHeartbeatInput{TaskToken: token})
	require.NoError(t, err)
	_, err = w.SendTaskSuccess(t.Context(), &sfn.SendTaskSuccessInput{TaskToken: token, Output: aws.String("not JSON")})
	require.ErrorAs(t, err, new(*types.InvalidOutput))
	_, err = w.SendTaskSuccess(t.Context(), &sfn.SendTaskSuccessInput{TaskToken: aws.String("forged"), Output: aws.String("{}")})
	require.ErrorAs(t, err, new(*types.InvalidToken))
	_, err = w.SendTaskSuccess(t.Context(), &sfn.SendTaskSuccessInput{TaskToken: token, Output: aws.String(`{"rows":3}`)})
	require.NoError(t, err)
	require.JSONEq(t, `{"rows":3}`, *w.awaitEnd(t, arn).Output)
	_, err = w.SendTaskSuccess(t.Context(), &sfn.SendTaskSuccessInput{TaskToken: token, Output: aws.String(`{}`)})
	require.ErrorAs(t, err, new(*types.TaskTimedOut))
	_, err = w.SendTaskFailure(t.Context(), &sfn.SendTaskFailureInput{TaskToken: token})
	require.ErrorAs(t, err, new(*types.TaskTimedOut))
	_, err = w.SendTaskHeartbeat(t.Context(), &sfn.SendTaskHeartbeatInput{TaskToken: token})
	require.ErrorAs(t, err, new(*types.TaskTimedOut))

	arn = w.start(t, "failing", `{}`)
	token = aws.String(<-w.tokens)
	_, err = w.SendTaskFailure(t.Context(), &sfn.SendTaskFailureInput{TaskToken: token, Error: aws.String("Lost"), Cause: aws.String("3 rows")})
	require.NoError(t, err)
	out := w.awaitEnd(t, arn)
	require.Equal(t, "Lost", *out.Error)
	require.Equal(t, "3 rows", *out.Cause)
}

func TestStatesRejectsUnsupported(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t)
	w := setupWorkflow(t, waitDefinition())
	for name, call := range map[string]func() error{
		"DeleteStateMachine": func() error {
			_, err := w.DeleteStateMachine(t.Context(), &sfn.DeleteStateMachineInput{StateMachineArn: &w.arn})
			return err
		},
		"ListActivities": func() error {
			_, err := w.ListActivities(t.Context(), &sfn.ListActivitiesInput{})
			return err
		},
		"redriveFilter": func() error {
			_, err := w.ListExecutions(t.Context(), &sfn.ListExecutionsInput{StateMachineArn: &w.arn, RedriveFilter: types.ExecutionRedriveFilterRedriven})
			return err
		},
	} {
		err := call()
		var fault smithy.APIError
		require.True(t, errors.As(err, &fault), name)
		require.Equal(t, "UnknownOperationException", fault.ErrorCode(), name)
		require.Contains(t, fault.ErrorMessage(), name)
	}
}
