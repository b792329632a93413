package interp

import (
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// eventReserve is how many events a turn keeps free below the limit, for the
// failure that ends an execution whose history is full.
const eventReserve = 10

// Environment is what interpretation needs from outside.
type Environment struct {
	Now time.Time
	// Random draws from [0, 1), for jitter.
	Random func() float64
	// Token returns the task token of an attempt: always the same for the same
	// attempt, never the same for two.
	Token func(x *Execution, attempt int64) string
	// RequestID names an invocation in its result.
	RequestID func() string
}

// Turn is one step of an execution. After its one method has been called, the
// execution is changed and Events and Invocation say what else is to be done.
type Turn struct {
	Events     []history.Event
	Invocation *Invocation

	machine *asl.Machine
	env     Environment
	x       *Execution
	// value is the decoded input of the current visit.
	value any
	// attempt is the id of the attempt that is being scheduled, for its token.
	attempt int64
}

// NewTurn prepares a turn. The machine must be of the execution's revision.
func NewTurn(m *asl.Machine, x *Execution, env Environment) *Turn {
	return &Turn{machine: m, env: env, x: x}
}

// Start begins the execution.
func (t *Turn) Start() error {
	value, err := jsonpath.Decode([]byte(t.x.Input))
	if err != nil {
		return err
	}
	t.x.Status, t.x.Started = Running, t.env.Now
	t.emit(history.ExecutionStarted, history.Details{ExecutionStarted: &history.Started{Input: history.In(t.x.Input), RoleARN: t.x.RoleARN}})
	t.run(hop{state: t.machine.StartAt, text: []byte(t.x.Input), value: value})
	return nil
}

// Abort ends the execution on request. The work under way is forgotten.
func (t *Turn) Abort(failure Failure) {
	t.end(Aborted, history.ExecutionAborted, history.Details{ExecutionAborted: failure.event()}, 0)
	t.x.Failure = failure
}

// Wake does what is due by now: the next attempt, or the timeout of the current one. It
// does nothing if it is called too early.
func (t *Turn) Wake() error {
	if !reached(t.x.Due(), t.env.Now) {
		return nil
	}
	state, err := t.resume()
	if err != nil {
		return err
	}
	task, _ := state.Action.(*asl.Task)
	if t.x.Visit.Attempt != nil {
		t.run(t.timedOut(state, task))
		return nil
	}
	t.x.Visit.RetryCount++
	t.run(t.schedule(state, task))
	return nil
}

// resume decodes what the current visit works on.
func (t *Turn) resume() (*asl.State, error) {
	var err error
	t.value, err = jsonpath.Decode(t.x.Visit.Input)
	return t.machine.States[t.x.Visit.State], err
}

// hop is a transition: the state to enter and its input. The zero hop is none:
// the execution waits or has ended.
type hop struct {
	state string
	text  []byte
	value any
}

// run goes from state to state until the execution waits or has ended.
func (t *Turn) run(next hop) {
	for next.state != "" {
		next = t.enter(next)
	}
}

// emit records an event after the last one.
func (t *Turn) emit(kind history.Type, details history.Details) int64 {
	return t.emitAfter(t.x.LastEvent, kind, details)
}

func (t *Turn) emitAfter(previous int64, kind history.Type, details history.Details) int64 {
	t.x.LastEvent++
	t.Events = append(t.Events, history.Event{
		Timestamp: history.Timestamp(t.env.Now), Type: kind, ID: t.x.LastEvent, PreviousEventID: previous, Details: details,
	})
	return t.x.LastEvent
}

// full reports whether the history has no place for another state.
func (t *Turn) full() bool { return t.x.LastEvent > history.MaxEvents-eventReserve }

// end closes the execution.
func (t *Turn) end(status Status, kind history.Type, details history.Details, previous int64) {
	t.x.Status, t.x.Stopped, t.x.Visit = status, t.env.Now, nil
	t.emitAfter(previous, kind, details)
}

func (t *Turn) succeed(output []byte) hop {
	t.x.Output = string(output)
	out := history.Out(t.x.Output)
	t.end(Succeeded, history.ExecutionSucceeded, history.Details{ExecutionSucceeded: &out}, t.x.LastEvent)
	return hop{}
}

func (t *Turn) fail(failure Failure) hop {
	t.x.Failure = failure
	t.end(Failed, history.ExecutionFailed, history.Details{ExecutionFailed: failure.event()}, t.x.LastEvent)
	return hop{}
}
