// Package lambdahost runs Lambda functions on one machine as AWS runs them:
// the same bootstrap binaries that are deployed, each instance in its own process
// with a clean environment, behind the Lambda Runtime API, with a deadline,
// a concurrency limit, reuse of warm instances, and removal of idle ones. A process
// that crashed is never reused.
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

// Location of the local functions in their ARNs.
const (
	Region  = "us-east-1"
	Account = "000000000000"
)

// MaxPayload is Lambda's limit for the request and for the response of a
// synchronous invocation: 6 MB plus some bytes for the envelope.
const MaxPayload = 6291556

// Name returns the name that a function of the blueprint has here, as it has one on AWS.
func Name(function string) string { return blueprint.LocalDeployment().Function(function) }

// ARN returns the ARN of a function.
func ARN(function string) string { return blueprint.LocalDeployment().FunctionARN(function) }

// Config configures the functions and the host.
type Config struct {
	Functions []Function
	// BinDir contains <function>/bootstrap.
	BinDir string
	// TempDir is the folder in which each instance gets its TMPDIR. Its content is deleted.
	TempDir string
	// Output receives every line that a function writes, without its newline.
	// Calls may be concurrent; the line is only valid during the call.
	Output func(function string, line []byte)
	// Logger logs the host's own events: crashes, timeouts.
	Logger *slog.Logger
	// IdleTimeout is how long an idle instance is kept; 0 is five minutes.
	IdleTimeout time.Duration
	// Retries are the delays before each retry of a delivery after a function
	// error; nil means two retries, as in Lambda, but sooner: after 1 and 2 seconds.
	Retries []time.Duration
}

// Host runs functions. Create one with New.
type Host struct {
	config    Config
	pools     map[string]*pool
	server    *http.Server
	address   string // of the Runtime API
	instances registry

	mu       sync.Mutex
	stopping chan struct{} // closed by Close: no new work starts
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

// emptyDir creates dir and deletes what an earlier host left in it.
func emptyDir(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("empty %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	return nil
}

// MissingBootstraps lists the functions without a built bootstrap.
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
// returned and the function continues to run, as on AWS.
func (h *Host) Invoke(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error) {
	p, err := h.findPool(function)
	if err != nil {
		return nil, "", err
	}
	return p.invoke(ctx, payload, p.function.Elastic)
}

// InvokeWhenFree is Invoke for a caller that polls: it waits for an instance
// where Invoke would fail with TooManyRequestsException.
func (h *Host) InvokeWhenFree(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error) {
	p, err := h.findPool(function)
	if err != nil {
		return nil, "", err
	}
	return p.invoke(ctx, payload, true)
}

// findPool finds a function by the blueprint's name, or by its local name or ARN,
// with or without $LATEST.
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

// track registers work that Close has to wait for; it returns false if the host is closing.
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
	<-finished // the processes of all remaining invocations have ended
	return errors.Join(h.server.Close(), os.RemoveAll(h.config.TempDir))
}
