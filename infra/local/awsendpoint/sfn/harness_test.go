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

// outcome is what a fake function returns: a result, an error document, or a
// refusal by Lambda.
type outcome struct {
	result   string
	failure  string
	refusal  error
	blocking bool          // until the service is closed
	after    time.Duration // how long the function takes
}

// call is one invocation that a fake function has seen.
type call struct {
	Function string
	Payload  map[string]any
}

// functions answer by a script for each function; the last outcome repeats.
type functions struct {
	mu      sync.Mutex
	scripts map[string][]outcome
	calls   []call
}

func (f *functions) Invoke(ctx context.Context, function string, payload []byte) ([]byte, string, error) {
	next := f.next(function, payload)
	time.Sleep(next.after) // in the bubble's time
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

func (f *functions) next(function string, payload []byte) outcome {
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

func (f *functions) seen(function string) []call {
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

// lastToken is the task token that a function was invoked with last.
func (f *functions) lastToken(t *testing.T, function string) string {
	t.Helper()
	calls := f.seen(function)
	require.NotEmpty(t, calls, "%s was not invoked", function)
	token, _ := calls[len(calls)-1].Payload["taskToken"].(string)
	require.NotEmpty(t, token)
	return token
}

// world is a service with its database, within a synctest bubble.
type world struct {
	t         *testing.T
	db        *bbolt.DB
	service   *sfn.Service
	functions *functions
}

func openDB(t *testing.T) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "aws.db"), 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// newWorld serves one machine named "m".
func newWorld(t *testing.T, definition string, scripts map[string][]outcome) *world {
	t.Helper()
	return newWorldOf(t, []sfn.Machine{{Name: "m", Definition: definition}}, scripts)
}

func newWorldOf(t *testing.T, machines []sfn.Machine, scripts map[string][]outcome) *world {
	t.Helper()
	w := &world{t: t, db: openDB(t), functions: &functions{scripts: scripts}}
	w.serve(machines)
	return w
}

// serve starts the service on the world's database; after a stop it is a
// restart.
func (w *world) serve(machines []sfn.Machine) {
	w.t.Helper()
	service, err := sfn.New(w.db, machines, w.functions, sfn.WithRandom(func() float64 { return 0.5 }))
	require.NoError(w.t, err)
	w.service = service
	require.NoError(w.t, service.Resume())
	w.t.Cleanup(service.Close)
}

// call runs an operation as a client would, and returns its response.
func (w *world) call(operation string, request map[string]any) (map[string]any, error) {
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

func (w *world) must(operation string, request map[string]any) map[string]any {
	w.t.Helper()
	answer, err := w.call(operation, request)
	require.NoError(w.t, err)
	return answer
}

// refused runs an operation that must fail with the code.
func (w *world) refused(code, operation string, request map[string]any) *awsjson.Error {
	w.t.Helper()
	_, err := w.call(operation, request)
	var fault *awsjson.Error
	require.ErrorAs(w.t, err, &fault)
	require.Equal(w.t, code, fault.Code, fault.Message)
	return fault
}

// start starts an execution of machine "m" named "one" and waits until it
// rests.
func (w *world) start(input string) string {
	w.t.Helper()
	return w.startOf("m", "one", input)
}

func (w *world) startOf(machine, name, input string) string {
	w.t.Helper()
	answer := w.must("StartExecution", map[string]any{"stateMachineArn": sfn.MachineARN(machine), "name": name, "input": input})
	synctest.Wait()
	arn, _ := answer["executionArn"].(string)
	return arn
}

func (w *world) describe(arn string) map[string]any {
	w.t.Helper()
	return w.must("DescribeExecution", map[string]any{"executionArn": arn})
}

// pass lets the bubble's time go on.
func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// ended waits, in steps of the bubble's time, until the execution is closed.
func (w *world) ended(arn string) map[string]any {
	w.t.Helper()
	for range 200 {
		synctest.Wait()
		if x := w.describe(arn); x["status"] != "RUNNING" {
			return x
		}
		time.Sleep(time.Minute)
	}
	require.Fail(w.t, "the execution does not end", "%v", w.types(arn))
	return nil
}

func (w *world) events(arn string) []history.Event {
	w.t.Helper()
	answer := w.must("GetExecutionHistory", map[string]any{"executionArn": arn, "maxResults": 1000})
	text, err := json.Marshal(answer["events"])
	require.NoError(w.t, err)
	var events []history.Event
	require.NoError(w.t, json.Unmarshal(text, &events))
	return events
}

// types are the types of an execution's events.
func (w *world) types(arn string) []string {
	w.t.Helper()
	var types []string
	for _, e := range w.events(arn) {
		types = append(types, string(e.Type))
	}
	return types
}

// path are the states that an execution has entered.
func (w *world) path(arn string) []string {
	w.t.Helper()
	var states []string
	for _, e := range w.events(arn) {
		if e.StateEntered != nil {
			states = append(states, e.StateEntered.Name)
		}
	}
	return states
}

// keys counts what a bucket holds.
func (w *world) keys(bucket string) int {
	w.t.Helper()
	n := 0
	require.NoError(w.t, w.db.View(func(tx *bbolt.Tx) error {
		n = tx.Bucket([]byte(bucket)).Stats().KeyN
		return nil
	}))
	return n
}
