package asl

import "slices"

// Names of errors that the interpreter itself gives or knows.
const (
	ErrAll                    = "States.ALL"
	ErrTaskFailed             = "States.TaskFailed"
	ErrTimeout                = "States.Timeout"
	ErrHeartbeatTimeout       = "States.HeartbeatTimeout"
	ErrRuntime                = "States.Runtime"
	ErrIntrinsicFailure       = "States.IntrinsicFailure"
	ErrResultPathMatchFailure = "States.ResultPathMatchFailure"
	ErrNoChoiceMatched        = "States.NoChoiceMatched"
	ErrDataLimitExceeded      = "States.DataLimitExceeded"
	ErrParameterPathFailure   = "States.ParameterPathFailure"
	ErrPermissions            = "States.Permissions"
	ErrBranchFailed           = "States.BranchFailed"
)

// reserved are the names that may follow "States." in ErrorEquals.
func reserved() []string {
	return []string{
		ErrAll, ErrTaskFailed, ErrTimeout, ErrHeartbeatTimeout, ErrRuntime, ErrIntrinsicFailure, ErrResultPathMatchFailure,
		ErrNoChoiceMatched, ErrDataLimitExceeded, ErrParameterPathFailure, ErrPermissions, ErrBranchFailed,
		"States.ExceedToleratedFailureThreshold", "States.ItemReaderFailed", "States.ResultWriterFailed", "States.QueryEvaluationError",
	}
}

// ErrorEquals is the list of error names that a Retrier or Catcher is for.
type ErrorEquals []string

// Match reports whether the list covers an error. States.Runtime is covered by
// nothing, States.TaskFailed covers all but time running out, States.ALL all.
func (e ErrorEquals) Match(name string) bool {
	if name == ErrRuntime {
		return false
	}
	timeout := name == ErrTimeout || name == ErrHeartbeatTimeout
	return slices.ContainsFunc(e, func(listed string) bool {
		return listed == name || listed == ErrAll || (listed == ErrTaskFailed && !timeout)
	})
}
