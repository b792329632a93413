package job

import "errors"

// ExecutionStatus is the status of the execution of a job's state machine.
type ExecutionStatus string

// The statuses that callers distinguish; others are final statuses of AWS: SUCCEEDED,
// FAILED, TIMED_OUT, ABORTED.
const (
	ExecutionRunning ExecutionStatus = "RUNNING"
	ExecutionAbsent  ExecutionStatus = "ABSENT" // never started, or deleted by AWS
)

// ErrTokenClosed reports that a task token is no longer valid: its task has been completed,
// has timed out, or its execution has ended.
var ErrTokenClosed = errors.New("the task token is closed")
