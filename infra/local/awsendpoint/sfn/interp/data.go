package interp

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// contextTime is the time format of the context object.
const contextTime = "2006-01-02T15:04:05.000Z07:00"

// scope returns the scope of the current state's paths.
func (t *Turn) scope(input any) jsonpath.Scope {
	return jsonpath.Scope{Input: input, Context: t.contextObject}
}

// contextObject builds the context object, "$$".
// Source: https://docs.aws.amazon.com/step-functions/latest/dg/input-output-contextobject.html
func (t *Turn) contextObject() any {
	// The input was decoded when the execution started: it is valid JSON.
	input, _ := jsonpath.Decode([]byte(t.execution.Input))
	state := map[string]any{"Name": t.execution.Visit.State, "EnteredTime": formatTime(t.execution.Visit.Entered)}
	context := map[string]any{
		"Execution": map[string]any{
			"Id": t.execution.ARN, "Name": t.execution.Name, "Input": input, "RoleArn": t.execution.RoleARN,
			"StartTime": formatTime(t.execution.Started), "RedriveCount": json.Number("0"),
		},
		"StateMachine": map[string]any{"Id": t.execution.MachineARN, "Name": t.execution.MachineName},
		"State":        state,
	}
	task, ok := t.machine.States[t.execution.Visit.State].Action.(*asl.Task)
	if !ok {
		return context
	}
	state["RetryCount"] = json.Number(fmt.Sprint(t.execution.Visit.RetryCount))
	if task.WaitForToken {
		context["Task"] = map[string]any{"Token": t.env.Token(t.execution, t.attempt)}
	}
	return context
}

func formatTime(t time.Time) string { return t.UTC().Format(contextTime) }

// applyResultPath applies ResultPath.
func applyResultPath(p asl.Placement, input, result any) (any, error) {
	if p.Discard {
		return input, nil
	}
	output, err := p.Path.Set(input, result)
	if err != nil {
		return nil, &stateError{asl.ErrResultPathMatchFailure,
			fmt.Sprintf("Unable to apply ReferencePath %s to the input: %v", p.Path, err)}
	}
	return output, nil
}
