package problem_test

import (
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
)

// An error in the input has a code for programs and a sentence for people. Other errors are
// not shown.
func Example() {
	cause := errors.New("unexpected EOF")
	err := fmt.Errorf("analyze job 7: %w", problem.Wrap(cause, problem.FileEmpty, "The file %q is empty.", "users.csv"))

	fmt.Println("log: ", err)
	shown := problem.From(err)
	fmt.Println("user:", shown.Code.Status(), shown.Code, shown.Message)
	fmt.Println(errors.Is(err, cause))

	shown = problem.From(errors.New("dial tcp 10.0.0.5:5432: connection refused"))
	fmt.Println("user:", shown.Code.Status(), shown.Code, shown.Message)
	// Output:
	// log:  analyze job 7: FILE_EMPTY: The file "users.csv" is empty.: unexpected EOF
	// user: 400 FILE_EMPTY The file "users.csv" is empty.
	// true
	// user: 500 INTERNAL Internal error. Try again; if the error persists, send the request ID to support.
}

// A request can be invalid in several places; all are reported at once.
func ExampleError_With() {
	fault := problem.New(problem.ParameterInvalid, "The request cannot be accepted.").
		With("mode", problem.ModeInvalid, "One of insert, upsert.").
		With("sizeBytes", problem.ParameterInvalid, "A number above 0.")
	for _, f := range fault.Fields {
		fmt.Println(f.Field, "-", f.Message)
	}
	// Output:
	// mode - One of insert, upsert.
	// sizeBytes - A number above 0.
}
