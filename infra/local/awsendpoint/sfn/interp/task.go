package interp

import (
	"encoding/json"
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// schedule begins an attempt of the current state's task.
func (t *Turn) schedule(state *asl.State, task *asl.Task) hop {
	visit := t.x.Visit
	visit.Wake, visit.Attempt = time.Time{}, nil
	t.attempt = t.x.LastEvent + 1
	attempt, parameters, err := t.prepare(state, task)
	if err != nil {
		return t.rescue(state, task, t.failureOf(err))
	}
	t.recordScheduled(task, attempt, parameters)
	visit.Attempt = attempt
	t.invoke()
	return hop{}
}

// prepare evaluates all that an attempt needs. It also returns the parameters
// as they are recorded.
func (t *Turn) prepare(state *asl.State, task *asl.Task) (*Attempt, []byte, error) {
	input, err := t.selected(state.Input, t.value)
	if err != nil {
		return nil, nil, err
	}
	parameters := input
	if task.Parameters != nil {
		if parameters, err = task.Parameters.Eval(t.scope(input)); err != nil {
			return nil, nil, err
		}
	}
	text, err := jsonpath.Encode(parameters)
	if err != nil {
		return nil, nil, err
	}
	if len(text) > MaxData {
		return nil, nil, tooLarge(state.Name)
	}
	a := &Attempt{ID: t.attempt, Function: task.Resource.Function, Payload: text}
	if a.TimeoutSeconds, err = t.seconds(task.Timeout, "TimeoutSecondsPath", input); err != nil {
		return nil, nil, err
	}
	if a.HeartbeatSeconds, err = t.seconds(task.Heartbeat, "HeartbeatSecondsPath", input); err != nil {
		return nil, nil, err
	}
	if task.Resource.Function == "" {
		err = a.readInvoke(parameters, text)
	}
	return a, text, err
}

// readInvoke takes the function and its payload out of the parameters of
// lambda:invoke.
func (a *Attempt) readInvoke(parameters any, text []byte) error {
	object, _ := parameters.(map[string]any)
	function, ok := object["FunctionName"].(string)
	if !ok || function == "" {
		return inWords("The Parameters '%s' could not be used to start the Task: [The field 'FunctionName' is required but was missing]", text)
	}
	a.Function, a.Payload = function, json.RawMessage("{}")
	payload, ok := object["Payload"]
	if !ok {
		return nil
	}
	encoded, err := jsonpath.Encode(payload)
	a.Payload = encoded
	return err
}

// invoke asks for the current attempt's function, and starts its clocks.
func (t *Turn) invoke() {
	a := t.x.Visit.Attempt
	a.Invoking = true
	a.Deadline = t.after(a.TimeoutSeconds)
	a.HeartbeatDeadline = t.after(a.HeartbeatSeconds)
	t.Invocation = &Invocation{Attempt: a.ID, Function: a.Function, Payload: a.Payload}
}

// after returns the time that many seconds from now; zero seconds is never.
func (t *Turn) after(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return t.env.Now.Add(time.Duration(seconds) * time.Second)
}

// Reinvoke asks again for the function whose answer a restart has lost. It is
// the same attempt, with its timeout from now on, and no event.
func (t *Turn) Reinvoke() {
	if t.x.Status == Running && t.x.Visit.Attempt != nil && t.x.Visit.Attempt.Invoking {
		t.invoke()
	}
}

// open reports whether an attempt is the one under way.
func (t *Turn) open(attempt int64) bool {
	return t.x.Status == Running && t.x.Visit.Attempt != nil && t.x.Visit.Attempt.ID == attempt
}

// Reply takes the answer of an invoked function. It is dropped when the
// attempt is over: by a timeout, an abort, or because its token was answered
// before the function returned.
func (t *Turn) Reply(attempt int64, reply Reply) error {
	if !t.open(attempt) {
		return nil
	}
	state, err := t.resume()
	if err != nil {
		return err
	}
	task, _ := state.Action.(*asl.Task)
	t.x.Visit.Attempt.Invoking = false
	result, failure := reply.result(task.Resource, t.env.RequestID)
	switch {
	case failure != nil:
		t.run(t.taskFailed(state, task, *failure))
	case task.Resource.WaitForToken:
		return t.recordSubmitted(task, result)
	default:
		t.run(t.taskSucceeded(state, task, result))
	}
	return nil
}

// Answer ends a waiting attempt by its token: with the output, or with the
// failure if output is nil. It reports whether the attempt was still open.
func (t *Turn) Answer(attempt int64, output any, failure *Failure) (bool, error) {
	if !t.open(attempt) {
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

// Heartbeat puts off the heartbeat's timeout. It reports whether the attempt
// was still open.
func (t *Turn) Heartbeat(attempt int64) bool {
	if !t.open(attempt) {
		return false
	}
	a := t.x.Visit.Attempt
	a.HeartbeatDeadline = t.after(a.HeartbeatSeconds)
	return true
}

// timedOut ends the attempt whose deadline or heartbeat was due.
func (t *Turn) timedOut(state *asl.State, task *asl.Task, due time.Time) hop {
	failure := NewFailure(asl.ErrTimeout, "")
	failure.heartbeat = !due.Equal(t.x.Visit.Attempt.Deadline)
	t.recordTimedOut(task)
	return t.rescue(state, task, failure)
}

func (t *Turn) taskFailed(state *asl.State, task *asl.Task, failure Failure) hop {
	t.recordFailed(task, failure)
	return t.rescue(state, task, failure)
}

func (t *Turn) taskSucceeded(state *asl.State, task *asl.Task, result any) hop {
	if err := t.recordSucceeded(task, result); err != nil {
		return t.taskFailed(state, task, t.failureOf(err))
	}
	t.x.Visit.Attempt = nil
	next, err := t.finish(state, task, result)
	if err != nil {
		return t.rescue(state, task, t.failureOf(err))
	}
	return next
}

// finish applies ResultSelector, ResultPath and OutputPath.
func (t *Turn) finish(state *asl.State, task *asl.Task, result any) (hop, error) {
	if task.ResultSelector != nil {
		var err error
		if result, err = task.ResultSelector.Eval(t.scope(result)); err != nil {
			return hop{}, err
		}
	}
	output, err := place(task.Result, t.value, result)
	if err != nil {
		return hop{}, err
	}
	return t.exit(state, output, state.Next)
}
