package interp

import (
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// eventReserve is the number of events that a turn reserves below the limit, for the failure that
// ends an execution with a full history.
const eventReserve = 10

// Environment contains the external dependencies of the interpreter.
type Environment struct {
	Now time.Time
	// Random returns a number from [0, 1), for jitter.
	Random func() float64
	// Token returns the task token of an attempt: always the same for the same attempt, and unique.
	Token func(x *Execution, attempt int64) string
	// RequestID returns an id for an invocation's result.
	RequestID func() string
}

// Turn is one step of an execution. After a call of one of its methods, the execution is changed,
// and Events and Invocation contain the remaining work. A Turn is used only once.
type Turn struct {
	Events     []history.Event
	Invocation *Invocation

	machine   *asl.Machine
	env       Environment
	execution *Execution
	// value is the decoded input of the current visit.
	value any
	// attempt is the id of the attempt that is being scheduled, for its token.
	attempt int64
}

// NewTurn prepares a turn. The machine must have the execution's revision.
func NewTurn(m *asl.Machine, x *Execution, env Environment) *Turn {
	return &Turn{machine: m, env: env, execution: x}
}

// Start starts the execution.
func (t *Turn) Start() error {
	value, err := jsonpath.Decode([]byte(t.execution.Input))
	if err != nil {
		return err
	}
	t.execution.Status, t.execution.Started = Running, t.env.Now
	t.emit(history.ExecutionStarted, history.Details{ExecutionStarted: &history.Started{Input: history.NewInput(t.execution.Input), RoleARN: t.execution.RoleARN}})
	t.run(transition{state: t.machine.StartAt, text: []byte(t.execution.Input), value: value})
	return nil
}

// Abort ends the execution on request and drops the current attempt.
func (t *Turn) Abort(failure Failure) {
	t.end(Aborted, history.ExecutionAborted, history.Details{ExecutionAborted: failure.event()}, 0)
	t.execution.Failure = failure
}

// Wake does the due work: the next attempt, or the timeout of the current one. It does nothing if
// it is called too early.
func (t *Turn) Wake() error {
	if !isDue(t.execution.Due(), t.env.Now) {
		return nil
	}
	state, err := t.resume()
	if err != nil {
		return err
	}
	task, _ := state.Action.(*asl.Task)
	if t.execution.Visit.Attempt != nil {
		t.run(t.timeOutAttempt(state, task))
		return nil
	}
	t.execution.Visit.RetryCount++
	t.run(t.schedule(state, task))
	return nil
}

// resume decodes the data of the current visit.
func (t *Turn) resume() (*asl.State, error) {
	var err error
	t.value, err = jsonpath.Decode(t.execution.Visit.Input)
	return t.machine.States[t.execution.Visit.State], err
}

// transition is the next state and its input. The zero transition is none: the execution waits or
// has ended.
type transition struct {
	state string
	text  []byte
	value any
}

// run enters states until the execution waits or has ended.
func (t *Turn) run(next transition) {
	for next.state != "" {
		next = t.enter(next)
	}
}

// emit appends an event to the history.
func (t *Turn) emit(kind history.Type, details history.Details) int64 {
	return t.emitAfter(t.execution.LastEvent, kind, details)
}

func (t *Turn) emitAfter(previous int64, kind history.Type, details history.Details) int64 {
	t.execution.LastEvent++
	t.Events = append(t.Events, history.Event{
		Timestamp: history.Timestamp(t.env.Now), Type: kind, ID: t.execution.LastEvent, PreviousEventID: previous, Details: details,
	})
	return t.execution.LastEvent
}

// historyFull reports whether the history has no space for another state.
func (t *Turn) historyFull() bool { return t.execution.LastEvent > history.MaxEvents-eventReserve }

// end closes the execution.
func (t *Turn) end(status Status, kind history.Type, details history.Details, previous int64) {
	t.execution.Status, t.execution.Stopped, t.execution.Visit = status, t.env.Now, nil
	t.emitAfter(previous, kind, details)
}

func (t *Turn) succeed(output []byte) transition {
	t.execution.Output = string(output)
	out := history.NewOutput(t.execution.Output)
	t.end(Succeeded, history.ExecutionSucceeded, history.Details{ExecutionSucceeded: &out}, t.execution.LastEvent)
	return transition{}
}

func (t *Turn) fail(failure Failure) transition {
	t.execution.Failure = failure
	t.end(Failed, history.ExecutionFailed, history.Details{ExecutionFailed: failure.event()}, t.execution.LastEvent)
	return transition{}
}
