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

// matches reports whether a Retrier or Catcher is for this failure.
func (f Failure) matches(list asl.ErrorEquals) bool { return list.Match(deref(f.Error)) }

// output is what a Catcher gets.
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

// stateError is a failure of the interpreter's own in a state, with a name
// other than States.Runtime.
type stateError struct{ name, cause string }

func (e *stateError) Error() string { return e.cause }

// awsError is an error in AWS's own words, which begin and end as sentences.
type awsError string

func (w awsError) Error() string { return string(w) }

func awsErrorf(format string, args ...any) error { return awsError(fmt.Sprintf(format, args...)) }

// failureOf names an error of evaluating a state's fields.
func (t *Turn) failureOf(err error) Failure {
	var own *stateError
	if errors.As(err, &own) {
		return NewFailure(own.name, own.cause)
	}
	return NewFailure(asl.ErrRuntime, fmt.Sprintf("An error occurred while executing the state '%s' (entered at the event id #%d). %v",
		t.execution.Visit.State, t.execution.Visit.Event, err))
}

// dataLimitExceeded says that a state or a task gave more than MaxData bytes.
func dataLimitExceeded(what string) error {
	return &stateError{asl.ErrDataLimitExceeded,
		fmt.Sprintf("The state/task '%s' returned a result with a size exceeding the maximum number of bytes service limit.", what)}
}
