package interp

import (
	"encoding/json"
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// schedule starts an attempt of the current state's task.
func (t *Turn) schedule(state *asl.State, task *asl.Task) transition {
	visit := t.execution.Visit
	visit.Wake, visit.Attempt = time.Time{}, nil
	t.attempt = t.execution.LastEvent + 1
	attempt, parameters, err := t.prepare(state, task)
	if err != nil {
		return t.handleError(state, task, t.failureOf(err))
	}
	t.recordScheduled(task, parameters)
	visit.Attempt = attempt
	t.invoke(task)
	return transition{}
}

// prepare evaluates the fields of an attempt. It also returns the parameters in the form in which
// they are recorded.
func (t *Turn) prepare(state *asl.State, task *asl.Task) (*Attempt, []byte, error) {
	parameters, err := task.Parameters.Eval(t.scope(t.value))
	if err != nil {
		return nil, nil, err
	}
	text, err := jsonpath.Encode(parameters)
	if err != nil {
		return nil, nil, err
	}
	if len(text) > MaxData {
		return nil, nil, dataLimitExceeded(state.Name)
	}
	a := &Attempt{ID: t.attempt, Function: task.Function, Payload: json.RawMessage("{}")}
	object, _ := parameters.(map[string]any)
	if payload, ok := object["Payload"]; ok {
		a.Payload, err = jsonpath.Encode(payload)
	}
	return a, text, err
}

// invoke requests the current attempt's function, and starts its timeout.
func (t *Turn) invoke(task *asl.Task) {
	a := t.execution.Visit.Attempt
	a.Invoking = true
	if task.TimeoutSeconds > 0 {
		a.Deadline = t.env.Now.Add(time.Duration(task.TimeoutSeconds) * time.Second)
	}
	t.Invocation = &Invocation{Attempt: a.ID, Function: a.Function, Payload: a.Payload}
}

// Reinvoke invokes the function again if a restart has lost its response. It is the same attempt,
// with a new timeout, and no event.
func (t *Turn) Reinvoke() {
	if t.execution.Status != Running || t.execution.Visit.Attempt == nil || !t.execution.Visit.Attempt.Invoking {
		return
	}
	if task, ok := t.machine.States[t.execution.Visit.State].Action.(*asl.Task); ok {
		t.invoke(task)
	}
}

// IsCurrent reports whether an attempt is the current one.
func (t *Turn) IsCurrent(attempt int64) bool {
	return t.execution.Status == Running && t.execution.Visit.Attempt != nil && t.execution.Visit.Attempt.ID == attempt
}

// Reply processes the response of an invoked function. It is dropped if the attempt is over: by a
// timeout, an abort, or because its task was completed before the function returned.
func (t *Turn) Reply(attempt int64, reply Reply) error {
	if !t.IsCurrent(attempt) {
		return nil
	}
	state, err := t.resume()
	if err != nil {
		return err
	}
	task, _ := state.Action.(*asl.Task)
	t.execution.Visit.Attempt.Invoking = false
	result, failure := reply.result(t.env.RequestID)
	switch {
	case failure != nil:
		t.run(t.taskFailed(state, task, *failure))
	case task.WaitForToken:
		return t.recordSubmitted(task, result)
	default:
		t.run(t.taskSucceeded(state, task, result))
	}
	return nil
}

// CompleteTask ends a waiting attempt by its token: with the output, or with the failure if output
// is nil. It reports whether the attempt was still open.
func (t *Turn) CompleteTask(attempt int64, output any, failure *Failure) (bool, error) {
	if !t.IsCurrent(attempt) {
		return false, nil
	}
	state, err := t.resume()
	if err != nil {
		return true, err
	}
	task, _ := state.Action.(*asl.Task)
	if failure != nil {
		t.run(t.taskFailed(state, task, *failure))
	} else {
		t.run(t.taskSucceeded(state, task, output))
	}
	return true, nil
}

// timeOutAttempt ends an attempt after its deadline.
func (t *Turn) timeOutAttempt(state *asl.State, task *asl.Task) transition {
	t.recordTimedOut(task)
	return t.handleError(state, task, newFailure(asl.ErrTimeout, ""))
}

func (t *Turn) taskFailed(state *asl.State, task *asl.Task, failure Failure) transition {
	t.recordFailed(task, failure)
	return t.handleError(state, task, failure)
}

func (t *Turn) taskSucceeded(state *asl.State, task *asl.Task, result any) transition {
	if err := t.recordSucceeded(task, result); err != nil {
		return t.taskFailed(state, task, t.failureOf(err))
	}
	t.execution.Visit.Attempt = nil
	next, err := t.finish(state, task, result)
	if err != nil {
		return t.handleError(state, task, t.failureOf(err))
	}
	return next
}

// finish applies ResultSelector and ResultPath.
func (t *Turn) finish(state *asl.State, task *asl.Task, result any) (transition, error) {
	if task.ResultSelector != nil {
		var err error
		if result, err = task.ResultSelector.Eval(t.scope(result)); err != nil {
			return transition{}, err
		}
	}
	output, err := applyResultPath(task.Result, t.value, result)
	if err != nil {
		return transition{}, err
	}
	return t.exit(state, output, state.Next)
}
