// Package mototest runs moto_server for a test: AWS as somebody else has
// understood it. Where the program is not on the PATH the test is skipped; `pip
// install 'moto[server]'` brings it.
//
// moto runs Lambda functions in Docker. Here it need not: it looks for all of
// AWS at one address, and that is a door of the test's, which answers Lambda's API
// itself and passes on to moto what it likes.
package mototest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

const (
	program = "moto_server"
	// starting bounds how long it may take to come up on a busy machine.
	starting = 2 * time.Minute
)

// Start runs moto until the test ends, with its Step Functions really executing,
// and returns the address of the door before it.
func Start(t *testing.T, door func(moto http.Handler) http.Handler) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not on the PATH: moto is not asked", program)
	}
	behind := &url.URL{Scheme: "http", Host: stacktest.FreeAddress(t)}
	passOn := httputil.NewSingleHostReverseProxy(behind)
	passOn.ErrorLog = log.New(io.Discard, "", 0) // clients that hang up are none of the test's business
	server := httptest.NewServer(door(passOn))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	run(t, path, behind, port)
	configure(t, behind)
	return server.URL
}

// run starts the program and ends it with the test.
func run(t *testing.T, path string, at *url.URL, doorPort string) {
	t.Helper()
	command := exec.Command(path, "-H", at.Hostname(), "-p", at.Port())
	command.Env = append(os.Environ(), "MOTO_PORT="+doorPort)
	output := &stacktest.Output{}
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
