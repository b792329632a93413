package sfn_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
)

// childDatabase is the environment variable that turns the test binary into the
// process to be killed: it runs imports in that database until it is killed.
const childDatabase = "LOADBAY_TEST_SFN_DATABASE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childDatabase); path != "" {
		if err := runImports(path, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// lineWriter writes whole lines.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) writeLine(words ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, words...)
}

// waitingFunctions behaves like instant, except for jobs with names that begin with "w":
// it prints their tokens and does not complete them.
type waitingFunctions struct {
	instantFunctions
	*lineWriter
}

func (h *waitingFunctions) Invoke(ctx context.Context, function string, payload []byte) ([]byte, string, error) {
	var event struct{ JobID, TaskToken string }
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, "", err
	}
	if function == "await" && strings.HasPrefix(event.JobID, "w") {
		h.writeLine("token", event.JobID, event.TaskToken)
		return []byte("null"), "", nil
	}
	return h.instantFunctions.Invoke(ctx, function, payload)
}

// runImports starts imports in an endless loop and prints each acknowledged start.
func runImports(path string, w io.Writer) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, Timeout: time.Second})
	if err != nil {
		return err
	}
	lines := &lineWriter{w: w}
	functions := &waitingFunctions{lineWriter: lines}
	service, err := sfn.New(db, importMachine(), functions)
	if err != nil {
		return err
	}
	functions.service = service
	if err := service.Resume(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		name := fmt.Sprint("n", i)
		if i%5 == 0 {
			name = fmt.Sprint("w", i)
		}
		if err := startImport(service, name); err != nil {
			return err
		}
		lines.writeLine("started", name)
	}
}

func startImport(service *sfn.Service, name string) error {
	_, err := service.Call(context.Background(), "StartExecution",
		fmt.Appendf(nil, `{"stateMachineArn":%q,"name":%q,"input":"{\"jobId\":\"%s\",\"organisationId\":1}"}`, sfn.MachineARN("loadbay-import"), name, name))
	return err
}

// runAndKill runs imports in a child process and kills it without warning after the
// given number of acknowledged starts. It returns the started imports and the printed tokens.
func runAndKill(t *testing.T, database string, starts int) (started []string, tokens map[string]string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDatabase+"="+database)
	child.Stderr = os.Stderr
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	tokens = map[string]string{}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 2 && words[0] == "started":
			started = append(started, words[1])
		case len(words) == 3 && words[0] == "token":
			tokens[words[1]] = words[2]
		}
		if len(started) == starts {
			require.NoError(t, child.Process.Kill())
		}
	}
	_ = child.Wait() // killed on purpose
	require.GreaterOrEqual(t, len(started), starts, "the child ran until it was killed")
	return started, tokens
}

// After kill -9 at any moment, acknowledged executions still exist, continue, and end
// as if nothing had happened; task tokens issued before the kill stay valid.
func TestKilledServiceResumes(t *testing.T) {
	t.Parallel()
	for _, starts := range []int{1, 7, 80} {
		t.Run(fmt.Sprint(starts), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "aws.db")
			started, tokens := runAndKill(t, path, starts)
			db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, Timeout: 2 * time.Minute})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			functions := &instantFunctions{}
			service, err := sfn.New(db, importMachine(), functions)
			require.NoError(t, err)
			functions.service = service
			require.NoError(t, service.Resume())
			t.Cleanup(service.Close)

			w := &harness{t: t, db: db, service: service}
			for _, token := range tokens {
				_, err := w.call("SendTaskSuccess", map[string]any{"taskToken": token, "output": `{"next":"CELL_MAPPING"}`})
				if err != nil {
					require.ErrorContains(t, err, "TaskTimedOut", "a token is rejected only if the task was invoked again and has completed")
				}
			}
			for _, name := range started {
				w.requireSucceeded("arn:aws:states:us-east-1:000000000000:execution:loadbay-import:" + name)
			}
		})
	}
}

// requireSucceeded waits for an import's end and checks every event of its history.
func (w *harness) requireSucceeded(arn string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return w.describe(arn)["status"] == "SUCCEEDED" }, 2*time.Minute, 5*time.Millisecond, arn)
	require.Equal(w.t, []string{"Analyze", "ChooseNextPhase", "AwaitColumnMapping", "ChooseAnalyzeOrResolveCells", "ResolveCells", "ChooseCellMappingOrSplit", "Split", "AwaitRows", "ChooseCellMappingOrComplete", "Complete", "Completed"}, w.statePath(arn))
	scheduled := 0
	for i, e := range w.events(arn) {
		require.EqualValues(w.t, i+1, e.ID, "no event is lost or duplicated")
		if i > 1 {
			require.EqualValues(w.t, i, e.PreviousEventID)
		}
		if e.TaskScheduled != nil {
			scheduled++
		}
	}
	require.Equal(w.t, 6, scheduled, "every task was attempted once")
}
