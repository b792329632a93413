package asl

import "slices"

// Names of errors that the interpreter itself gives or knows.
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

// ErrorEquals is the list of error names that a Retrier or Catcher is for.
type ErrorEquals []string

// Match reports whether the list covers an error. States.Runtime is covered by
// nothing, States.TaskFailed covers all but time running out, States.ALL all.
func (e ErrorEquals) Match(name string) bool {
	if name == ErrRuntime {
		return false
	}
	return slices.ContainsFunc(e, func(listed string) bool {
		return listed == name || listed == ErrAll || (listed == ErrTaskFailed && name != ErrTimeout)
	})
}
