package asl

import "slices"

// Names of errors that the interpreter raises or handles.
const (
	ErrAll                    = "States.ALL"
	ErrTaskFailed             = "States.TaskFailed"
	ErrTimeout                = "States.Timeout"
	ErrRuntime                = "States.Runtime"
	ErrResultPathMatchFailure = "States.ResultPathMatchFailure"
	ErrNoChoiceMatched        = "States.NoChoiceMatched"
	ErrDataLimitExceeded      = "States.DataLimitExceeded"
)

// reservedErrors are the names that may follow "States." in ErrorEquals.
func reservedErrors() []string {
	return []string{ErrAll, ErrTaskFailed, ErrTimeout, ErrRuntime, ErrResultPathMatchFailure, ErrNoChoiceMatched, ErrDataLimitExceeded}
}

// ErrorEquals is the list of error names that a Retrier or Catcher handles.
type ErrorEquals []string

// Match reports whether the list includes an error. No entry matches States.Runtime;
// States.TaskFailed matches all errors except timeouts, States.ALL all errors.
func (e ErrorEquals) Match(name string) bool {
	if name == ErrRuntime {
		return false
	}
	return slices.ContainsFunc(e, func(listed string) bool {
		return listed == name || listed == ErrAll || (listed == ErrTaskFailed && name != ErrTimeout)
	})
}
