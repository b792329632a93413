// Package interp runs state machines, one turn at a time. A turn applies an event (the start, a
// function's response, a due time) to a durable execution, and returns the execution in its next
// waiting state, the events to record, and the function to invoke. It does no I/O and keeps no
// state between turns, so an execution is as durable as its storage.
//
// Tested by infra/local/awsendpoint/sfn: executions of every kind of state.
package interp

import (
	"encoding/json"
	"time"
)

// Status is the status of an execution in the API.
type Status string

// The statuses of executions. All but Running are final.
const (
	Running   Status = "RUNNING"
	Succeeded Status = "SUCCEEDED"
	Failed    Status = "FAILED"
	Aborted   Status = "ABORTED"
)

// MaxData is the maximum size of a state's input, a result or an output, in bytes.
const MaxData = 256 << 10

// Execution is the persistent state of an execution.
type Execution struct {
	ARN         string `json:"arn"`
	Name        string `json:"name"`
	MachineARN  string `json:"machineArn"`
	MachineName string `json:"machineName"`
	RoleARN     string `json:"roleArn"`
	// Revision identifies the definition, which does not change during the execution.
	Revision    string    `json:"revision"`
	TraceHeader string    `json:"traceHeader,omitempty"`
	Input       string    `json:"input"` // unchanged, byte for byte
	Status      Status    `json:"status"`
	Started     time.Time `json:"started"`
	Stopped     time.Time `json:"stopped,omitzero"`
	Output      string    `json:"output,omitempty"` // if Succeeded
	Failure     Failure   `json:"failure,omitzero"` // if Failed or Aborted
	// LastEvent is the id of the newest event, which equals the number of events.
	LastEvent int64 `json:"lastEvent"`
	// Visit is the current state; nil before the start and after the end.
	Visit *Visit `json:"visit,omitempty"`
}

// Visit is the time in one state, from its entry to its exit.
type Visit struct {
	State   string          `json:"state"`
	Entered time.Time       `json:"entered"`
	Event   int64           `json:"event"` // id of the entry event
	Input   json.RawMessage `json:"input"`
	// Retries counts the retries of each Retrier of the state.
	Retries    []int `json:"retries,omitempty"`
	RetryCount int   `json:"retryCount,omitempty"`
	// Wake is the start of the next attempt.
	Wake time.Time `json:"wake,omitzero"`
	// Attempt is the current attempt, nil between attempts.
	Attempt *Attempt `json:"attempt,omitempty"`
}

// Attempt is one attempt of a task.
type Attempt struct {
	// ID is the id of its TaskScheduled event, unique within the execution.
	ID       int64           `json:"id"`
	Function string          `json:"function"`
	Payload  json.RawMessage `json:"payload"`
	// Invoking is true until the function has responded. A callback then continues to wait for its
	// token.
	Invoking bool `json:"invoking,omitempty"`
	// Deadline is the time of the timeout; zero is never.
	Deadline time.Time `json:"deadline,omitzero"`
}

// Failure is an error of a state or an execution. AWS distinguishes an absent part (nil) from an
// empty one.
type Failure struct {
	Error *string `json:"error,omitempty"`
	Cause *string `json:"cause,omitempty"`
}

// newFailure returns a failure with both parts.
func newFailure(name, cause string) Failure { return Failure{Error: &name, Cause: &cause} }

// Invocation is a function call that the turn requests.
type Invocation struct {
	Attempt  int64
	Function string // name or ARN, as in the definition
	Payload  []byte // JSON
}

// Due returns the time at which the execution has to be woken; zero is never.
func (x *Execution) Due() time.Time {
	switch {
	case x.Status != Running || x.Visit == nil:
		return time.Time{}
	case x.Visit.Attempt != nil:
		return x.Visit.Attempt.Deadline
	}
	return x.Visit.Wake
}

// isDue reports whether t is set and has been reached.
func isDue(t, now time.Time) bool { return !t.IsZero() && !t.After(now) }
