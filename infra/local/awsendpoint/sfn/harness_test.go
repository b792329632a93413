package sfn_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
)

// outcome is the result of a fake function: a result, an error document, or an error of Lambda.
type outcome struct {
	result   string
	failure  string
	refusal  error
	blocking bool          // blocks until the service is closed
	after    time.Duration // duration of the call
}

// call is a recorded invocation of a fake function.
type call struct {
	Function string
	Payload  map[string]any
}

// fakeFunctions respond by a script for each function; the last outcome repeats.
type fakeFunctions struct {
	mu      sync.Mutex
	scripts map[string][]outcome
	calls   []call
}

func (f *fakeFunctions) Invoke(ctx context.Context, function string, payload []byte) ([]byte, string, error) {
	next := f.next(function, payload)
	time.Sleep(next.after) // time of the synctest bubble
	switch {
	case next.blocking:
		<-ctx.Done()
		return nil, "", ctx.Err()
	case next.refusal != nil:
		return nil, "", next.refusal
	case next.failure != "":
		return []byte(next.failure), "Unhandled", nil
	}
	return []byte(next.result), "", nil
}

func (f *fakeFunctions) next(function string, payload []byte) outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := call{Function: function}
	if err := json.Unmarshal(payload, &seen.Payload); err != nil {
		seen.Payload = map[string]any{"unreadable": string(payload)}
	}
	f.calls = append(f.calls, seen)
	script := f.scripts[function]
	if len(script) == 0 {
		return outcome{refusal: awsjson.Errorf("ResourceNotFoundException", "Function not found: %s", function)}
	}
	if len(script) > 1 {
		f.scripts[function] = script[1:]
	}
	return script[0]
}

func (f *fakeFunctions) record(function string) []call {
	f.mu.Lock()
	defer f.mu.Unlock()
	var calls []call
	for _, c := range f.calls {
		if c.Function == function {
			calls = append(calls, c)
		}
	}
	return calls
}

// lastToken returns the task token of a function's last invocation.
func (f *fakeFunctions) lastToken(t *testing.T, function string) string {
	t.Helper()
	calls := f.record(function)
	require.NotEmpty(t, calls, "%s was not invoked", function)
	token, _ := calls[len(calls)-1].Payload["taskToken"].(string)
	require.NotEmpty(t, token)
	return token
}

// harness is a service with its database, within a synctest bubble.
type harness struct {
	t         *testing.T
	db        *bbolt.DB
	service   *sfn.Service
	functions *fakeFunctions
}

func openDB(t *testing.T) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "aws.db"), 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// newHarness serves one machine named "m".
func newHarness(t *testing.T, definition string, scripts map[string][]outcome) *harness {
	t.Helper()
	return newHarnessOf(t, []sfn.Machine{{Name: "m", Definition: definition}}, scripts)
}

func newHarnessOf(t *testing.T, machines []sfn.Machine, scripts map[string][]outcome) *harness {
	t.Helper()
	w := &harness{t: t, db: openDB(t), functions: &fakeFunctions{scripts: scripts}}
	w.serve(machines)
	return w
}

// serve starts the service on the harness's database; after a stop it is a restart.
func (w *harness) serve(machines []sfn.Machine) {
	w.t.Helper()
	service, err := sfn.New(w.db, machines, w.functions, sfn.WithRandom(func() float64 { return 0.5 }))
	require.NoError(w.t, err)
	w.service = service
	require.NoError(w.t, service.Resume())
	w.t.Cleanup(service.Close)
}

// call runs an operation as a client would, and returns its response.
func (w *harness) call(operation string, request map[string]any) (map[string]any, error) {
	w.t.Helper()
	input, err := json.Marshal(request)
	require.NoError(w.t, err)
	output, err := w.service.Call(w.t.Context(), operation, input)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(output)
	require.NoError(w.t, err)
	var answer map[string]any
	require.NoError(w.t, json.Unmarshal(text, &answer))
	return answer, nil
}

func (w *harness) mustCall(operation string, request map[string]any) map[string]any {
	w.t.Helper()
	answer, err := w.call(operation, request)
	require.NoError(w.t, err)
	return answer
}

// requireRefused runs an operation that must fail with the code.
func (w *harness) requireRefused(code, operation string, request map[string]any) *awsjson.Error {
	w.t.Helper()
	_, err := w.call(operation, request)
	var fault *awsjson.Error
	require.ErrorAs(w.t, err, &fault)
	require.Equal(w.t, code, fault.Code, fault.Message)
	return fault
}

// start starts an execution of machine "m" named "one" and waits until it is idle.
func (w *harness) start(input string) string {
	w.t.Helper()
	return w.startInput("m", "one", input)
}

func (w *harness) startInput(machine, name, input string) string {
	w.t.Helper()
	answer := w.mustCall("StartExecution", map[string]any{"stateMachineArn": sfn.MachineARN(machine), "name": name, "input": input})
	synctest.Wait()
	arn, _ := answer["executionArn"].(string)
	return arn
}

func (w *harness) describe(arn string) map[string]any {
	w.t.Helper()
	return w.mustCall("DescribeExecution", map[string]any{"executionArn": arn})
}

// advance advances the bubble's time.
func (w *harness) advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// waitEnded advances the bubble's time in steps until the execution is closed.
func (w *harness) waitEnded(arn string) map[string]any {
	w.t.Helper()
	for range 200 {
		synctest.Wait()
		if x := w.describe(arn); x["status"] != "RUNNING" {
			return x
		}
		time.Sleep(time.Minute)
	}
	require.Fail(w.t, "the execution did not end", "%v", w.eventTypes(arn))
	return nil
}

func (w *harness) events(arn string) []history.Event {
	w.t.Helper()
	answer := w.mustCall("GetExecutionHistory", map[string]any{"executionArn": arn, "maxResults": 1000})
	text, err := json.Marshal(answer["events"])
	require.NoError(w.t, err)
	var events []history.Event
	require.NoError(w.t, json.Unmarshal(text, &events))
	return events
}

// eventTypes returns the types of an execution's events.
func (w *harness) eventTypes(arn string) []string {
	w.t.Helper()
	var types []string
	for _, e := range w.events(arn) {
		types = append(types, string(e.Type))
	}
	return types
}

// statePath returns the states that an execution has entered.
func (w *harness) statePath(arn string) []string {
	w.t.Helper()
	var states []string
	for _, e := range w.events(arn) {
		if e.StateEntered != nil {
			states = append(states, e.StateEntered.Name)
		}
	}
	return states
}

// countKeys counts the keys of a bucket.
func (w *harness) countKeys(bucket string) int {
	w.t.Helper()
	n := 0
	require.NoError(w.t, w.db.View(func(tx *bbolt.Tx) error {
		n = tx.Bucket([]byte(bucket)).Stats().KeyN
		return nil
	}))
	return n
}
