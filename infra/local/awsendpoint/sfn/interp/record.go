package interp

import (
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// region is the region of the local stack.
const region = "us-east-1"

// The record methods write the events of a task.

func (t *Turn) recordScheduled(task *asl.Task, parameters []byte) {
	resource := resourceNames(task)
	t.emit(history.TaskScheduled, history.Details{TaskScheduled: &history.Scheduled{
		Task: resource, Region: region, Parameters: string(parameters), TimeoutInSeconds: task.TimeoutSeconds,
	}})
	t.emit(history.TaskStarted, history.Details{TaskStarted: &resource})
}

func (t *Turn) recordSubmitted(task *asl.Task, result any) error {
	text, err := jsonpath.Encode(result)
	if err != nil {
		return err
	}
	t.emit(history.TaskSubmitted, history.Details{TaskSubmitted: &history.TaskOutput{Task: resourceNames(task), Output: history.NewOutput(string(text))}})
	return nil
}

// recordSucceeded rejects a result that is too large.
func (t *Turn) recordSucceeded(task *asl.Task, result any) error {
	text, err := jsonpath.Encode(result)
	if err != nil {
		return err
	}
	if len(text) > MaxData {
		return dataLimitExceeded(resourceType)
	}
	t.emit(history.TaskSucceeded, history.Details{TaskSucceeded: &history.TaskOutput{Task: resourceNames(task), Output: history.NewOutput(string(text))}})
	return nil
}

func (t *Turn) recordFailed(task *asl.Task, failure Failure) {
	t.emit(history.TaskFailed, history.Details{TaskFailed: &history.TaskFailure{Task: resourceNames(task), Failure: *failure.event()}})
}

func (t *Turn) recordTimedOut(task *asl.Task) {
	t.emit(history.TaskTimedOut, history.Details{TaskTimedOut: &history.TaskFailure{Task: resourceNames(task), Failure: history.Failure{Error: asl.ErrTimeout}}})
}

// resourceType is the type of a task's resource in histories and messages.
const resourceType = "lambda"

// resourceNames returns the names of a task's resource in histories.
func resourceNames(task *asl.Task) history.Task {
	return history.Task{ResourceType: resourceType, Resource: task.Resource()}
}
