package lambdahost_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// functionEnv holds the path at which TestMain stores the compiled function, also for the
// process that acts as a host.
const (
	functionEnv = "LAMBDAHOST_TEST_FUNCTION"
	hostEnv     = "LAMBDAHOST_TEST_HOST"
)

func TestMain(m *testing.M) {
	if os.Getenv(hostEnv) != "" {
		runHost()
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "lambdahost-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "bootstrap")
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", binary, "./testdata/function")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	if err := os.Setenv(functionEnv, binary); err != nil {
		panic(err)
	}
	return m.Run()
}

// runHost invokes a function that never ends, prints its process id and waits to be killed.
func runHost() {
	dir := os.Getenv(hostEnv)
	h, err := lambdahost.New(lambdahost.Config{
		Functions: []lambdahost.Function{testFunction("f")},
		BinDir:    dir, TempDir: filepath.Join(dir, "tmp"),
		Output: func(string, []byte) {}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	output, _, err := h.Invoke(context.Background(), "f", nil)
	if err != nil {
		panic(err)
	}
	var r functionResponse
	if err := json.Unmarshal(output, &r); err != nil {
		panic(err)
	}
	fmt.Println(r.PID)
	_, _, err = h.Invoke(context.Background(), "f", []byte(`{"Do":"wait","Wait":600000000000}`))
	panic(err)
}

// waitTimeout limits every wait for an expected event.
const waitTimeout = 2 * time.Minute

// functionResponse is the response of the function.
type functionResponse struct {
	Text     string
	PID      int
	Env      []string
	Deadline time.Time
	Request  string
	ARN      string
}

// errorDocument is the output of a function error.
type errorDocument struct {
	ErrorType    string `json:"errorType"`
	ErrorMessage string `json:"errorMessage"`
}

// outputCollector collects the output of functions.
type outputCollector struct {
	mu    sync.Mutex
	lines []string
}

func (o *outputCollector) add(function string, line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, function+": "+string(line))
}

func (o *outputCollector) has(line string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.lines, line)
}

// harness is a host under test.
type harness struct {
	*lambdahost.Host
	t      *testing.T
	output *outputCollector
	temp   string
}

// setup runs a host with one function, f, modified by change.
func setup(t *testing.T, change ...func(*lambdahost.Config, *lambdahost.Function)) *harness {
	t.Helper()
	dir := t.TempDir()
	installFunction(t, dir)
	b := &harness{t: t, output: &outputCollector{}, temp: filepath.Join(dir, "tmp")}
	f := testFunction("f")
	c := lambdahost.Config{BinDir: dir, TempDir: b.temp, Output: b.output.add, Logger: slog.New(slog.DiscardHandler), Retries: []time.Duration{1, 1}}
	for _, apply := range change {
		apply(&c, &f)
	}
	c.Functions = []lambdahost.Function{f}
	h, err := lambdahost.New(c)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.NoError(t, h.Close(ctx))
	})
	b.Host = h
	return b
}

func installFunction(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "f"), 0o755))
	require.NoError(t, os.Symlink(os.Getenv(functionEnv), filepath.Join(dir, "f", "bootstrap")))
}

func testFunction(name string) lambdahost.Function {
	return lambdahost.Function{Name: name, Memory: 256, Timeout: 30 * time.Second, Concurrency: 2}
}

// mustSucceed invokes f and returns its response.
func (b *harness) mustSucceed(event string) functionResponse {
	b.t.Helper()
	out, functionError, err := b.Invoke(b.t.Context(), "f", []byte(event))
	require.NoError(b.t, err)
	require.Empty(b.t, functionError, "%s", out)
	var r functionResponse
	require.NoError(b.t, json.Unmarshal(out, &r))
	return r
}

// holdEvent returns an event that keeps f busy until letGo is called.
func (b *harness) holdEvent() (event string, letGo func()) {
	file := filepath.Join(b.t.TempDir(), "go")
	return fmt.Sprintf(`{"Do":"hold","Text":%q}`, file), func() {
		require.NoError(b.t, os.WriteFile(file, nil, 0o600))
	}
}

// mustFail invokes f and returns its error.
func (b *harness) mustFail(event string) errorDocument {
	b.t.Helper()
	out, functionError, err := b.Invoke(b.t.Context(), "f", []byte(event))
	require.NoError(b.t, err)
	require.Equal(b.t, "Unhandled", functionError, "%s", out)
	var f errorDocument
	require.NoError(b.t, json.Unmarshal(out, &f))
	return f
}

func errorCode(t *testing.T, err error) string {
	t.Helper()
	var fault *awsjson.Error
	require.ErrorAs(t, err, &fault)
	return fault.Code
}

func TestEnvironmentMatchesLambda(t *testing.T) {
	t.Parallel()
	b := setup(t, func(_ *lambdahost.Config, f *lambdahost.Function) {
		f.Env = map[string]string{"BUCKET": "files", "LOG_LEVEL": "debug"}
	})
	before := time.Now()
	r := b.mustSucceed(`{"Text":"ä"}`)
	require.Equal(t, "ä", r.Text)
	require.Equal(t, "arn:aws:lambda:us-east-1:000000000000:function:loadbay-f-local", r.ARN)
	require.Len(t, r.Request, 36)
	require.WithinRange(t, r.Deadline, before.Add(29*time.Second), time.Now().Add(31*time.Second))
	for _, want := range []string{
		"AWS_LAMBDA_FUNCTION_NAME=loadbay-f-local", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=256", "AWS_REGION=us-east-1",
		"BUCKET=files", "LOG_LEVEL=debug", "TZ=:UTC",
	} {
		require.Contains(t, r.Env, want)
	}
	for _, entry := range r.Env {
		require.NotContains(t, entry, functionEnv, "the host's own environment is not passed on")
		require.False(t, strings.HasPrefix(entry, "HOME="))
	}
}

func TestInstanceIsReused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.mustSucceed(`{}`), b.mustSucceed(`{}`)
	require.Equal(t, first.PID, second.PID)
	require.NotEqual(t, first.Request, second.Request)
	require.Equal(t, 1, b.Stats()["f"].ColdStarts)
}

func TestFunctionErrorIsReturned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.mustSucceed(`{}`).PID
	require.Equal(t, errorDocument{ErrorType: "errorString", ErrorMessage: "no such row"}, b.mustFail(`{"Do":"fail","Text":"no such row"}`))
	require.Equal(t, before, b.mustSucceed(`{}`).PID, "a process that returns an error is reused")
}

func TestCrashedProcessIsNotReused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ event, errorType, message string }{
		"panic": {`{"Do":"panic","Text":"index out of range"}`, "string", "index out of range"},
		"exit":  {`{"Do":"exit"}`, "Runtime.ExitError", "Runtime exited with error: exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			before := b.mustSucceed(`{}`).PID
			f := b.mustFail(c.event)
			require.Equal(t, c.errorType, f.ErrorType)
			require.Contains(t, f.ErrorMessage, c.message)
			require.NotEqual(t, before, b.mustSucceed(`{}`).PID)
		})
	}
}

func TestEachPanicIsReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 20 { // the process ends shortly after its response: the next invocation must not use it
		require.Equal(t, "x", b.mustFail(`{"Do":"panic","Text":"x"}`).ErrorMessage)
	}
}

func TestInvocationTimesOut(t *testing.T) {
	t.Parallel()
	b := setup(t, func(_ *lambdahost.Config, f *lambdahost.Function) { f.Timeout = 3 * time.Second })
	pid := b.mustSucceed(`{}`).PID
	f := b.mustFail(`{"Do":"wait","Wait":600000000000}`)
	require.Equal(t, "Sandbox.Timedout", f.ErrorType)
	require.Contains(t, f.ErrorMessage, "Task timed out after 3.00 seconds")
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH, "the process has ended")
	require.NotEqual(t, pid, b.mustSucceed(`{}`).PID)
	require.Equal(t, map[string]int{"timeout": 1}, b.Stats()["f"].Failures)
}

func TestInitFailureIsReported(t *testing.T) {
	t.Parallel()
	b := setup(t, func(_ *lambdahost.Config, f *lambdahost.Function) { f.Env = map[string]string{"INIT": "exit"} })
	f := b.mustFail(`{}`)
	require.Equal(t, "Runtime.ExitError", f.ErrorType)
	require.Contains(t, f.ErrorMessage, "exit status 7")
	require.Equal(t, map[string]int{"init": 1}, b.Stats()["f"].Failures)
}

func TestMissingBootstrapIsNamed(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *lambdahost.Config, _ *lambdahost.Function) { c.BinDir = t.TempDir() })
	require.Equal(t, []string{"f"}, b.MissingBootstraps())
	f := b.mustFail(`{}`)
	require.Equal(t, "Runtime.InvalidEntrypoint", f.ErrorType)
	require.Contains(t, f.ErrorMessage, "no such file or directory")
}

func TestPayloadLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, _, err := b.Invoke(t.Context(), "f", bytes.Repeat([]byte(" "), lambdahost.MaxPayload+1))
	require.Equal(t, "RequestTooLargeException", errorCode(t, err))

	f := b.mustFail(fmt.Sprintf(`{"Do":"big","Size":%d}`, lambdahost.MaxPayload))
	require.Equal(t, "Function.ResponseSizeTooLarge", f.ErrorType)
	require.Len(t, b.mustSucceed(fmt.Sprintf(`{"Do":"big","Size":%d}`, lambdahost.MaxPayload-1000)).Text, 6290556)
}

func TestUnknownFunctionsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, name := range []string{"g", "loadbay-f", "loadbay-f-dev"} {
		_, _, err := b.Invoke(t.Context(), name, nil)
		require.Equal(t, "ResourceNotFoundException", errorCode(t, err), name)
	}
	for _, name := range []string{"f", lambdahost.Name("f"), lambdahost.ARN("f"), lambdahost.ARN("f") + ":$LATEST"} {
		_, functionError, err := b.Invoke(t.Context(), name, nil)
		require.NoError(t, err)
		require.Empty(t, functionError)
	}
}

func TestConcurrencyLimits(t *testing.T) {
	t.Parallel()
	b := setup(t, func(_ *lambdahost.Config, f *lambdahost.Function) { f.Concurrency = 1 })
	var busy sync.WaitGroup
	event, letGo := b.holdEvent()
	busy.Go(func() { b.mustSucceed(event) })
	require.Eventually(t, func() bool { return b.Stats()["f"].Busy == 1 }, waitTimeout, time.Millisecond)
	_, _, err := b.Invoke(t.Context(), "f", nil)
	require.Equal(t, "TooManyRequestsException", errorCode(t, err))
	busy.Go(func() {
		_, functionError, err := b.InvokeWhenFree(t.Context(), "f", nil)
		if err != nil || functionError != "" {
			t.Errorf("an invocation that waits for a free process: %v %s", err, functionError)
		}
	})
	letGo()
	busy.Wait()
	require.Equal(t, 1, b.Stats()["f"].Throttles)
	require.Equal(t, 1, b.Stats()["f"].ColdStarts, "a concurrency of one uses one process")
}

func TestConcurrentInvocationsUseOwnProcesses(t *testing.T) {
	t.Parallel()
	b := setup(t, func(_ *lambdahost.Config, f *lambdahost.Function) { f.Elastic = true })
	pids := make(chan int, 8)
	var all sync.WaitGroup
	event, letGo := b.holdEvent()
	for range 8 {
		all.Go(func() { pids <- b.mustSucceed(event).PID })
	}
	require.Eventually(t, func() bool { return b.Stats()["f"].Processes == 2 }, waitTimeout, time.Millisecond)
	letGo()
	all.Wait()
	close(pids)
	uses := map[int]int{}
	for pid := range pids {
		uses[pid]++
	}
	require.Len(t, uses, 2)
}

func TestCallerCancelKeepsFunctionRunning(t *testing.T) {
	t.Parallel()
	b := setup(t, func(_ *lambdahost.Config, f *lambdahost.Function) { f.Concurrency = 1 })
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	event, letGo := b.holdEvent()
	go func() {
		_, _, err := b.Invoke(ctx, "f", []byte(event))
		left <- err
	}()
	require.Eventually(t, func() bool { return b.Stats()["f"].Busy == 1 }, waitTimeout, time.Millisecond)
	leave()
	require.ErrorIs(t, <-left, context.Canceled)
	letGo()
	require.Eventually(t, func() bool { return b.Stats()["f"].Invocations == 1 }, waitTimeout, time.Millisecond)
	require.Empty(t, b.Stats()["f"].Failures)
}

func TestIdleInstancesAreStopped(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *lambdahost.Config, _ *lambdahost.Function) { c.IdleTimeout = 20 * time.Millisecond })
	first := b.mustSucceed(`{"Do":"litter"}`).PID
	require.Eventually(t, func() bool { return b.Stats()["f"].Processes == 0 }, waitTimeout, time.Millisecond)
	require.ErrorIs(t, syscall.Kill(first, 0), syscall.ESRCH)
	require.Eventually(t, func() bool {
		left, err := os.ReadDir(b.temp)
		return err == nil && len(left) == 0
	}, waitTimeout, time.Millisecond, "the temporary folders of stopped processes are removed")
	require.NotEqual(t, first, b.mustSucceed(`{}`).PID)
}

func TestOutputArrivesByLine(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *lambdahost.Config, _ *lambdahost.Function) { c.IdleTimeout = time.Millisecond })
	b.mustSucceed(`{"Do":"print","Text":"{\"level\":\"INFO\"}\nsecond"}`)
	for _, line := range []string{`f: {"level":"INFO"}`, "f: second", "f: no end of line"} {
		require.Eventually(t, func() bool { return b.output.has(line) }, waitTimeout, time.Millisecond, line)
	}
}

func TestPeakMemoryIsMeasured(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.mustSucceed(`{"Do":"allocate","Size":80000000}`)
	require.Greater(t, b.Stats()["f"].PeakMemory, int64(80000000))
	require.Less(t, b.Stats()["f"].PeakMemory, int64(160000000))
}

func TestDeliveryIsRetried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.Deliver(t.Context(), "f", []byte(`{}`)))
	err := b.Deliver(t.Context(), "f", []byte(`{"Do":"fail","Text":"always"}`))
	require.ErrorIs(t, err, lambdahost.ErrRetriesExhausted)
	require.ErrorContains(t, err, "after 3 attempts")
	require.Equal(t, 4, b.Stats()["f"].Invocations)

	require.NoError(t, b.InvokeAsync(t.Context(), "f", []byte(`{}`)))
	require.Eventually(t, func() bool { return b.Stats()["f"].Invocations == 5 }, waitTimeout, time.Millisecond)
	require.Equal(t, "ResourceNotFoundException", errorCode(t, b.InvokeAsync(t.Context(), "g", nil)))
}

func TestCloseWaitsForInvocations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var work sync.WaitGroup
	event, letGo := b.holdEvent()
	work.Go(func() { b.mustSucceed(event) })
	require.Eventually(t, func() bool { return b.Stats()["f"].Busy == 1 }, waitTimeout, time.Millisecond)
	closed := make(chan error, 1)
	go func() { closed <- b.Close(t.Context()) }()
	require.Eventually(t, func() bool {
		_, _, err := b.Invoke(t.Context(), "f", nil)
		var fault *awsjson.Error
		return errors.As(err, &fault) && fault.Code == "ServiceException"
	}, waitTimeout, time.Millisecond, "new invocations are refused")
	require.Empty(t, closed, "Close waits for the running invocation")
	letGo()
	require.NoError(t, <-closed)
	work.Wait()
	require.Zero(t, b.Stats()["f"].Processes)
	_, _, err := b.Invoke(t.Context(), "f", nil)
	require.Equal(t, "ServiceException", errorCode(t, err))
}

func TestCloseHasTimeout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	results := make(chan errorDocument, 1)
	go func() { results <- b.mustFail(`{"Do":"wait","Wait":600000000000}`) }()
	require.Eventually(t, func() bool { return b.Stats()["f"].Busy == 1 }, waitTimeout, time.Millisecond)
	now, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, b.Close(now))
	require.Equal(t, "Runtime.ExitError", (<-results).ErrorType)
}

func TestFunctionsDieWithKilledHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	installFunction(t, dir)
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), hostEnv+"="+dir)
	host.Stderr = os.Stderr
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	var pid int
	_, err = fmt.Fscan(out, &pid)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, 0))
	require.NoError(t, host.Process.Kill())
	_ = host.Wait()
	require.Eventually(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }, waitTimeout, 5*time.Millisecond)
}
