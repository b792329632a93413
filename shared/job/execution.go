package job

import "errors"

// ExecutionStatus is where the execution of a job's state machine stands.
type ExecutionStatus string

// The statuses that callers distinguish; others are those with which AWS closed
// an execution: SUCCEEDED, FAILED, TIMED_OUT, ABORTED.
const (
	ExecutionRunning ExecutionStatus = "RUNNING"
	ExecutionAbsent  ExecutionStatus = "ABSENT" // never started, or forgotten by AWS
)

// ErrTokenClosed says that nobody waits for a task token any more: its task has
// been completed, has run out of time, or its execution has ended.
var ErrTokenClosed = errors.New("the task token is closed")
