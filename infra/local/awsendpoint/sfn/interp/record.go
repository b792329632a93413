package interp

import (
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// region is where the local stack says that it is.
const region = "us-east-1"

// The record methods write the events of a task. A task whose resource is a
// function's ARN has events of other types than lambda:invoke.

func (t *Turn) recordScheduled(task *asl.Task, a *Attempt, parameters []byte) {
	if task.Resource.Function != "" {
		t.emit(history.LambdaFunctionScheduled, history.Details{LambdaFunctionScheduled: &history.FunctionScheduled{
			Resource: task.Resource.Function, Input: history.In(string(parameters)), TimeoutInSeconds: a.TimeoutSeconds,
		}})
		t.emit(history.LambdaFunctionStarted, history.Details{})
		return
	}
	resource := names(task)
	t.emit(history.TaskScheduled, history.Details{TaskScheduled: &history.Scheduled{
		Task: resource, Region: region, Parameters: string(parameters),
		TimeoutInSeconds: a.TimeoutSeconds, HeartbeatInSeconds: a.HeartbeatSeconds,
	}})
	t.emit(history.TaskStarted, history.Details{TaskStarted: &resource})
}

func (t *Turn) recordSubmitted(task *asl.Task, result any) error {
	text, err := jsonpath.Encode(result)
	if err != nil {
		return err
	}
	t.emit(history.TaskSubmitted, history.Details{TaskSubmitted: &history.TaskOutput{Task: names(task), Output: history.Out(string(text))}})
	return nil
}

// recordSucceeded refuses a result that is too large.
func (t *Turn) recordSucceeded(task *asl.Task, result any) error {
	text, err := jsonpath.Encode(result)
	if err != nil {
		return err
	}
	if len(text) > MaxData {
		return tooLarge(name(task))
	}
	output := history.Out(string(text))
	if task.Resource.Function != "" {
		t.emit(history.LambdaFunctionSucceeded, history.Details{LambdaFunctionSucceeded: &output})
		return nil
	}
	t.emit(history.TaskSucceeded, history.Details{TaskSucceeded: &history.TaskOutput{Task: names(task), Output: output}})
	return nil
}

func (t *Turn) recordFailed(task *asl.Task, failure Failure) {
	if task.Resource.Function != "" {
		t.emit(history.LambdaFunctionFailed, history.Details{LambdaFunctionFailed: failure.event()})
		return
	}
	t.emit(history.TaskFailed, history.Details{TaskFailed: &history.TaskFailure{Task: names(task), Failure: *failure.event()}})
}

func (t *Turn) recordTimedOut(task *asl.Task) {
	failure := history.Failure{Error: asl.ErrTimeout}
	if task.Resource.Function != "" {
		t.emit(history.LambdaFunctionTimedOut, history.Details{LambdaFunctionTimedOut: &failure})
		return
	}
	t.emit(history.TaskTimedOut, history.Details{TaskTimedOut: &history.TaskFailure{Task: names(task), Failure: failure}})
}
