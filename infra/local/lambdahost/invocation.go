package lambdahost

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// invocation is one request to a function.
type invocation struct {
	id        string
	trace     string // X-Ray header
	payload   []byte
	startedAt time.Time
	taken     time.Time // when a ready process received it
	timeout   time.Duration
	sink      *responseSink // receives the response as it is written; nil to buffer it
	outcomes  chan outcome  // from the Runtime API; buffer of one
	done      chan struct{} // closed when outcome is set
	outcome   outcome
}

func newInvocation(f Function, payload []byte, stream *responseSink) *invocation {
	if len(payload) == 0 {
		payload = []byte("{}") // Lambda's default for an invocation without a payload
	}
	return &invocation{
		id: uuid.NewString(), trace: newTrace(), payload: payload, startedAt: time.Now(), timeout: f.Timeout, sink: stream,
		outcomes: make(chan outcome, 1), done: make(chan struct{}),
	}
}

// newTrace returns a trace header that is not sampled.
// https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
func newTrace() string {
	var random [20]byte
	_, _ = rand.Read(random[:]) // never fails
	return fmt.Sprintf("Root=1-%08x-%x;Parent=%x;Sampled=0", time.Now().Unix(), random[:12], random[12:])
}

// outcome is the result of an invocation.
type outcome struct {
	output []byte
	kind   string // kind of failure, for the statistics: "" | "error" | "timeout" | "crash" | "init"
}

// functionError returns the value of X-Amz-Function-Error.
func (a outcome) functionError() string {
	if a.kind == "" {
		return ""
	}
	return "Unhandled"
}

// failureDocument is the error document that Lambda itself writes if the function cannot.
type failureDocument struct {
	ErrorType    string `json:"errorType"`
	ErrorMessage string `json:"errorMessage"`
}

func newFailure(kind, errorType, format string, args ...any) outcome {
	output, err := json.Marshal(failureDocument{ErrorType: errorType, ErrorMessage: fmt.Sprintf(format, args...)})
	if err != nil { // impossible for two strings
		output = []byte(`{"errorType":"Runtime.Unknown"}`)
	}
	return outcome{output: output, kind: kind}
}

func timeoutFailure(inv *invocation) outcome {
	return newFailure("timeout", "Sandbox.Timedout", "RequestId: %s Error: Task timed out after %.2f seconds", inv.id, inv.timeout.Seconds())
}

// exitFailure returns the outcome of a process that ended without a response; how is the
// description of os/exec, or "".
func exitFailure(inv *invocation, how string) outcome {
	if how == "" {
		return newFailure("crash", "Runtime.ExitError", "RequestId: %s Error: Runtime exited without providing a reason", inv.id)
	}
	return newFailure("crash", "Runtime.ExitError", "RequestId: %s Error: Runtime exited with error: %s", inv.id, how)
}

func entrypointFailure(inv *invocation, err error) outcome {
	return newFailure("init", "Runtime.InvalidEntrypoint", "RequestId: %s Error: %v", inv.id, err)
}

func tooLargeFailure(size int64) outcome {
	return newFailure("error", "Function.ResponseSizeTooLarge",
		"Response payload size (%d bytes) exceeded maximum allowed payload size (%d bytes).", size, MaxPayload)
}
