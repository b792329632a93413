// Package history is the record of an execution as GetExecutionHistory gives
// it: the events' types, their numbering and their details.
// Facts: https://docs.aws.amazon.com/step-functions/latest/apireference/API_HistoryEvent.html
package history

import (
	"strconv"
	"time"
)

// MaxEvents is how long a history may grow; the event that would be one more
// fails the execution.
const MaxEvents = 25000

// Timestamp is a time on the wire: seconds since 1970 with milliseconds.
type Timestamp time.Time

// MarshalJSON writes seconds with three decimals.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(time.Time(t).UnixMilli())/1000, 'f', 3, 64), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
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

// Types of events. The events of a state's entry and exit are made by Entered
// and Exited.
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

// EnteredType is the event of entering a state of the given type, as in
// "TaskStateEntered".
func EnteredType(stateType string) Type { return Type(stateType + "StateEntered") }

// ExitedType is the event of leaving a state of the given type.
func ExitedType(stateType string) Type { return Type(stateType + "StateExited") }

// Event is one entry of a history. At most one of the details is set.
type Event struct {
	Timestamp       Timestamp `json:"timestamp"`
	Type            Type      `json:"type"`
	ID              int64     `json:"id"`
	PreviousEventID int64     `json:"previousEventId"`
	Details
}

// Details are what an event says in addition to its type. Which field belongs to which
// type follows from the names.
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
