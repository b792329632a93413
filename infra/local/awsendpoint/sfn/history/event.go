// Package history implements the history of an execution as GetExecutionHistory returns it: the
// events' types, their numbering and their details.
// Source: https://docs.aws.amazon.com/step-functions/latest/apireference/API_HistoryEvent.html
package history

import (
	"strconv"
	"time"
)

// MaxEvents is the maximum length of a history; exceeding it fails the execution.
const MaxEvents = 25000

// Timestamp is a time in wire format: seconds since 1970 with milliseconds.
type Timestamp time.Time

// MarshalJSON writes seconds with three decimals.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(time.Time(t).UnixMilli())/1000, 'f', 3, 64), nil
}

// UnmarshalJSON parses the output of MarshalJSON.
func (t *Timestamp) UnmarshalJSON(text []byte) error {
	seconds, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return err
	}
	*t = Timestamp(time.UnixMilli(int64(seconds*1000 + 0.5)).UTC())
	return nil
}

// Type is the type of an event.
type Type string

// Types of events. EnteredType and ExitedType return those of a state's entry and exit.
const (
	ExecutionStarted   Type = "ExecutionStarted"
	ExecutionSucceeded Type = "ExecutionSucceeded"
	ExecutionFailed    Type = "ExecutionFailed"
	ExecutionAborted   Type = "ExecutionAborted"

	TaskScheduled Type = "TaskScheduled"
	TaskStarted   Type = "TaskStarted"
	TaskSubmitted Type = "TaskSubmitted"
	TaskSucceeded Type = "TaskSucceeded"
	TaskFailed    Type = "TaskFailed"
	TaskTimedOut  Type = "TaskTimedOut"
)

// EnteredType returns the type of the event for entering a state of the given type, such as
// "TaskStateEntered".
func EnteredType(stateType string) Type { return Type(stateType + "StateEntered") }

// ExitedType returns the type of the event for leaving a state of the given type.
func ExitedType(stateType string) Type { return Type(stateType + "StateExited") }

// Event is one entry of a history. At most one of the details is set.
type Event struct {
	Timestamp       Timestamp `json:"timestamp"`
	Type            Type      `json:"type"`
	ID              int64     `json:"id"`
	PreviousEventID int64     `json:"previousEventId"`
	Details
}

// Details are the type-specific properties of an event. The field's name indicates the type of
// event.
type Details struct {
	ExecutionStarted   *Started `json:"executionStartedEventDetails,omitempty"`
	ExecutionSucceeded *Output  `json:"executionSucceededEventDetails,omitempty"`
	ExecutionFailed    *Failure `json:"executionFailedEventDetails,omitempty"`
	ExecutionAborted   *Failure `json:"executionAbortedEventDetails,omitempty"`

	StateEntered *StateEntered `json:"stateEnteredEventDetails,omitempty"`
	StateExited  *StateExited  `json:"stateExitedEventDetails,omitempty"`

	TaskScheduled *Scheduled   `json:"taskScheduledEventDetails,omitempty"`
	TaskStarted   *Task        `json:"taskStartedEventDetails,omitempty"`
	TaskSubmitted *TaskOutput  `json:"taskSubmittedEventDetails,omitempty"`
	TaskSucceeded *TaskOutput  `json:"taskSucceededEventDetails,omitempty"`
	TaskFailed    *TaskFailure `json:"taskFailedEventDetails,omitempty"`
	TaskTimedOut  *TaskFailure `json:"taskTimedOutEventDetails,omitempty"`
}
