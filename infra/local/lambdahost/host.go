// Package lambdahost runs Lambda functions on one machine as AWS runs them:
// the very bootstrap binaries that are deployed, each instance a process of its
// own with a clean environment, behind the Lambda Runtime API, with a deadline,
// a limit to how many run at a time, warm instances that are used again and idle
// ones that go away. A process that crashed is never used again.
//
// Sources: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html and
// https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html.
package lambdahost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// Where the local functions are, as their ARNs say.
const (
	Region  = "us-east-1"
	Account = "000000000000"
)

// MaxPayload is Lambda's limit for the request and for the response of a
// synchronous invocation: 6 MB and some for its envelope.
const MaxPayload = 6291556

// Name is the name that a function of the blueprint has here, as it has one on AWS.
func Name(function string) string { return blueprint.LocalDeployment().Function(function) }

// ARN is the address of a function.
func ARN(function string) string { return blueprint.LocalDeployment().FunctionARN(function) }

// Config says what to run.
type Config struct {
	Functions []Function
	// BinDir holds <function>/bootstrap.
	BinDir string
	// TempDir is where each instance gets its TMPDIR. What it holds is deleted.
	TempDir string
	// Output receives every line that a function writes, without its newline.
	// Calls may be concurrent; the line is only valid during the call.
	Output func(function string, line []byte)
	// Logger logs what the host does itself: crashes, timeouts.
	Logger *slog.Logger
	// Idle is how long an instance is kept without work; 0 is five minutes.
	IdleTimeout time.Duration
	// Retries are the waits before a delivery is tried again after a function
	// error; nil is Lambda's number of two, but sooner: after 1 and 2 seconds.
	Retries []time.Duration
}

// Host runs functions. Make one with New.
type Host struct {
	config    Config
	pools     map[string]*pool
	server    *http.Server
	address   string // of the Runtime API
	instances registry

	mu       sync.Mutex
	stopping chan struct{} // closed by Close: nothing new begins
	stopped  bool
	running  sync.WaitGroup // invocations and asynchronous deliveries
}

// New starts the Runtime API. Processes are started by the first invocations.
func New(c Config) (*Host, error) {
	if c.Output == nil || c.Logger == nil || c.TempDir == "" {
		return nil, errors.New("lambdahost: Output, Logger and TempDir are needed")
	}
	if c.IdleTimeout == 0 {
		c.IdleTimeout = 5 * time.Minute
	}
	if c.Retries == nil {
		c.Retries = []time.Duration{time.Second, 2 * time.Second}
	}
	if err := emptyDir(c.TempDir); err != nil {
		return nil, fmt.Errorf("lambdahost: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("lambdahost: listen for functions: %w", err)
	}
	h := &Host{config: c, pools: map[string]*pool{}, address: listener.Addr().String(), stopping: make(chan struct{})}
	h.server = &http.Server{Handler: h.runtimeAPI(), ReadHeaderTimeout: 10 * time.Second}
	for _, f := range c.Functions {
		if err := f.validate(); err != nil {
			_ = listener.Close()
			return nil, fmt.Errorf("lambdahost: %w", err)
		}
		h.pools[f.Name] = newPool(h, f)
	}
	go func() { _ = h.server.Serve(listener) }() // ends with Close
	return h, nil
}

// emptyDir makes dir, without what an earlier host left in it.
func emptyDir(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("empty %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	return nil
}

// MissingBootstraps lists the functions whose bootstrap has not been built.
func (h *Host) MissingBootstraps() []string {
	var missing []string
	for _, f := range h.config.Functions {
		if _, err := os.Stat(h.bootstrapPath(f.Name)); err != nil {
			missing = append(missing, f.Name)
		}
	}
	return missing
}

func (h *Host) bootstrapPath(function string) string {
	return filepath.Join(h.config.BinDir, function, "bootstrap")
}

// Invoke runs a function, given by its name or ARN, and waits for its response.
//
// functionError is "" or, when the function failed, "Unhandled"; output then is
// the document {"errorMessage", "errorType", …}. err is an *awsjson.Error when
// the function was not run: ResourceNotFoundException, TooManyRequestsException,
// RequestTooLargeException, ServiceException. When ctx ends first, its error is
// returned and the function runs on, as on AWS.
func (h *Host) Invoke(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error) {
	p, err := h.findPool(function)
	if err != nil {
		return nil, "", err
	}
	return p.invoke(ctx, payload, p.function.Elastic)
}

// InvokeWhenFree is Invoke for a caller that polls: it waits for an instance
// where Invoke would be refused with TooManyRequestsException.
func (h *Host) InvokeWhenFree(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error) {
	p, err := h.findPool(function)
	if err != nil {
		return nil, "", err
	}
	return p.invoke(ctx, payload, true)
}

// findPool finds a function by the blueprint's name, or by the name or ARN that it
// has here, with or without $LATEST.
func (h *Host) findPool(function string) (*pool, error) {
	name := strings.TrimSuffix(function, ":$LATEST")
	if i := strings.LastIndex(name, ":"); i >= 0 {
		name = name[i+1:]
	}
	for _, f := range h.config.Functions {
		if name == f.Name || name == Name(f.Name) {
			return h.pools[f.Name], nil
		}
	}
	return nil, awsjson.Errorf("ResourceNotFoundException", "Function not found: %s", function)
}

// track counts something that Close has to wait for; false when it is too late.
func (h *Host) track() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return false
	}
	h.running.Add(1)
	return true
}

func (h *Host) stopAccepting() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.stopped {
		h.stopped = true
		close(h.stopping)
	}
}

// Close lets running invocations finish until ctx is done, then ends every process.
func (h *Host) Close(ctx context.Context) error {
	h.stopAccepting()
	finished := make(chan struct{})
	go func() {
		h.running.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-ctx.Done():
	}
	h.instances.closeAll()
	<-finished // what was still running has lost its process
	return errors.Join(h.server.Close(), os.RemoveAll(h.config.TempDir))
}
