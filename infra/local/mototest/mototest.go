// Package mototest runs moto_server for a test: AWS as somebody else has
// understood it. Where the program is not on the PATH the test is skipped; `pip
// install 'moto[server]'` brings it.
//
// moto runs Lambda functions in Docker. Here it need not: it looks for all of
// AWS at one address, which is a door of ours that answers Lambda's API itself
// and passes everything else on.
package mototest

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	program = "moto_server"
	// starting bounds how long it may take to come up on a busy machine.
	starting = 2 * time.Minute
	// lambdaPath begins the paths of Lambda's API.
	lambdaPath = "/2015-03-31/functions/"
)

// Start runs moto until the test ends, with its Step Functions really executing
// and functions answering Lambda's API, and returns the address of both.
func Start(t *testing.T, functions http.Handler) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not on the PATH: moto is not asked", program)
	}
	behind := &url.URL{Scheme: "http", Host: freeAddress(t)}
	passOn := httputil.NewSingleHostReverseProxy(behind)
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, lambdaPath) {
			functions.ServeHTTP(w, r)
			return
		}
		passOn.ServeHTTP(w, r)
	}))
	t.Cleanup(door.Close)
	_, port, err := net.SplitHostPort(door.Listener.Addr().String())
	require.NoError(t, err)
	run(t, path, behind, port)
	configure(t, behind)
	return door.URL
}

// run starts the program and ends it with the test.
func run(t *testing.T, path string, at *url.URL, doorPort string) {
	t.Helper()
	command := exec.Command(path, "-H", at.Hostname(), "-p", at.Port())
	command.Env = append(os.Environ(), "MOTO_PORT="+doorPort)
	output := &output{}
	command.Stdout, command.Stderr = output, output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, command.Start())
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // its own group: wrappers and all
		<-ended
	})
	ctx, cancel := context.WithTimeout(t.Context(), starting)
	defer cancel()
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		if answers(ctx, at) {
			return
		}
		select {
		case <-tick.C:
		case <-ended:
			require.FailNow(t, program+" ended", "%s", output)
		case <-ctx.Done():
			require.FailNow(t, program+" does not come up", "%s", output)
		}
	}
}

func answers(ctx context.Context, at *url.URL) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String()+"/moto-api/", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// configure has state machines executed, and not only kept.
func configure(t *testing.T, at *url.URL) {
	t.Helper()
	body := strings.NewReader(`{"stepfunctions": {"execute_state_machine": true}}`)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.String()+"/moto-api/config", body)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusCreated, answer.StatusCode)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// output keeps what the program says.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to the output.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String is what has been said so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
