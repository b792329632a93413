// Package interp runs state machines, one turn at a time. A turn takes a
// durable execution and something that has happened (it starts, a function
// has responded, a time has come), and leaves the execution where it waits
// next, the events to record, and the function to invoke. It does no I/O and
// keeps nothing between turns, so an execution lives as long as what it is
// stored in.
//
// Tested by infra/local/awsendpoint/sfn: executions of every kind of state.
package interp

import (
	"encoding/json"
	"time"
)

// Status is the status of an execution, as the API words it.
type Status string

// The statuses of executions. All but Running are final.
const (
	Running   Status = "RUNNING"
	Succeeded Status = "SUCCEEDED"
	Failed    Status = "FAILED"
	Aborted   Status = "ABORTED"
)

// MaxData is the most bytes of a state's input, a result or an output.
const MaxData = 256 << 10

// Execution is all that must survive a restart.
type Execution struct {
	ARN         string `json:"arn"`
	Name        string `json:"name"`
	MachineARN  string `json:"machineArn"`
	MachineName string `json:"machineName"`
	RoleARN     string `json:"roleArn"`
	// Revision names the definition that it began with and ends with.
	Revision    string    `json:"revision"`
	TraceHeader string    `json:"traceHeader,omitempty"`
	Input       string    `json:"input"` // as given, to the byte
	Status      Status    `json:"status"`
	Started     time.Time `json:"started"`
	Stopped     time.Time `json:"stopped,omitzero"`
	Output      string    `json:"output,omitempty"` // if Succeeded
	Failure     Failure   `json:"failure,omitzero"` // if Failed or Aborted
	// LastEvent is the id of the newest event, which is their number.
	LastEvent int64 `json:"lastEvent"`
	// Visit is where it stands; nil before the start and after the end.
	Visit *Visit `json:"visit,omitempty"`
}

// Visit is a stay in one state, from its entry to its exit.
type Visit struct {
	State   string          `json:"state"`
	Entered time.Time       `json:"entered"`
	Event   int64           `json:"event"` // id of the event of the entry
	Input   json.RawMessage `json:"input"`
	// Retries counts, for each Retrier of the state, how often it was used.
	Retries    []int `json:"retries,omitempty"`
	RetryCount int   `json:"retryCount,omitempty"`
	// Wake is when the next attempt begins.
	Wake time.Time `json:"wake,omitzero"`
	// Attempt is the task under way, nil between attempts.
	Attempt *Attempt `json:"attempt,omitempty"`
}

// Attempt is one try of a task.
type Attempt struct {
	// ID is the id of its TaskScheduled event: unique within the execution.
	ID       int64           `json:"id"`
	Function string          `json:"function"`
	Payload  json.RawMessage `json:"payload"`
	// Invoking is true until the function has responded. A callback then waits
	// on for its token.
	Invoking bool `json:"invoking,omitempty"`
	// Deadline is when it times out; zero is never.
	Deadline time.Time `json:"deadline,omitzero"`
}

// Failure is an error of a state or an execution. AWS tells an absent part
// (nil) from an empty one.
type Failure struct {
	Error *string `json:"error,omitempty"`
	Cause *string `json:"cause,omitempty"`
}

// NewFailure returns a failure with both its parts.
func NewFailure(name, cause string) Failure { return Failure{Error: &name, Cause: &cause} }

// Invocation is a call of a function that the turn asks for.
type Invocation struct {
	Attempt  int64
	Function string // name or ARN, as the definition gives it
	Payload  []byte // JSON
}

// Due returns when the execution wants to be woken; zero is never.
func (x *Execution) Due() time.Time {
	switch {
	case x.Status != Running || x.Visit == nil:
		return time.Time{}
	case x.Visit.Attempt != nil:
		return x.Visit.Attempt.Deadline
	}
	return x.Visit.Wake
}

// isDue reports whether a time that is not zero has come.
func isDue(t, now time.Time) bool { return !t.IsZero() && !t.After(now) }
