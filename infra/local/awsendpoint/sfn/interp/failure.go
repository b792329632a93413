package interp

import (
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
)

func (f Failure) event() *history.Failure {
	return &history.Failure{Error: deref(f.Error), Cause: deref(f.Cause)}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// matches reports whether a Retrier or Catcher handles this failure.
func (f Failure) matches(list asl.ErrorEquals) bool { return list.Match(deref(f.Error)) }

// output returns the output of a Catcher.
func (f Failure) output() map[string]any {
	out := map[string]any{"Error": nil, "Cause": nil}
	if f.Error != nil {
		out["Error"] = *f.Error
	}
	if f.Cause != nil {
		out["Cause"] = *f.Cause
	}
	return out
}

// stateError is an error of the interpreter in a state, with a name other than States.Runtime.
type stateError struct{ name, cause string }

func (e *stateError) Error() string { return e.cause }

// awsError is a message of AWS, formatted as a sentence.
type awsError string

func (w awsError) Error() string { return string(w) }

func awsErrorf(format string, args ...any) error { return awsError(fmt.Sprintf(format, args...)) }

// failureOf converts an error in the evaluation of a state's fields.
func (t *Turn) failureOf(err error) Failure {
	var own *stateError
	if errors.As(err, &own) {
		return newFailure(own.name, own.cause)
	}
	return newFailure(asl.ErrRuntime, fmt.Sprintf("An error occurred while executing the state '%s' (entered at the event id #%d). %v",
		t.execution.Visit.State, t.execution.Visit.Event, err))
}

// dataLimitExceeded is the error for a state or task with more than MaxData bytes of output.
func dataLimitExceeded(what string) error {
	return &stateError{asl.ErrDataLimitExceeded,
		fmt.Sprintf("The state/task '%s' returned a result with a size exceeding the maximum number of bytes service limit.", what)}
}
