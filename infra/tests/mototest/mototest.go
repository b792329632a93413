// Package mototest runs moto_server for a test: an independent implementation of AWS.
// If the program is not on the PATH, the test is skipped; `pip install 'moto[server]'`
// installs it.
//
// moto runs Lambda functions in Docker. Here this is avoided: moto expects all of AWS
// at one address, which is a proxy of the test, the door. The door serves Lambda's
// API itself and may pass other requests on to moto.
//
// Tested by infra/tests/anywhere and infra/tests/conformance: their runs against moto.
package mototest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

const motoProgram = "moto_server"

// addressPattern matches the line in which moto's server prints its address.
var addressPattern = regexp.MustCompile(`Running on (http://127\.0\.0\.1:\d+)\s`)

// Start runs moto until the test ends, configured to execute state machines, and
// returns the address of the door in front of it; ended is closed when moto ends.
func Start(t *testing.T, door func(moto http.Handler) http.Handler) (url string, ended <-chan struct{}) {
	t.Helper()
	stacktest.SkipShort(t)
	path, err := exec.LookPath(motoProgram)
	if err != nil {
		t.Skipf("%s is not on the PATH: moto tests are skipped", motoProgram)
	}
	server := httptest.NewUnstartedServer(nil) // moto needs the door's port, and the door needs moto's
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	at, ended := startProcess(t, path, port)
	configureStates(t, at)
	server.Config.Handler = door(newProxy(at))
	server.Start()
	return server.URL, ended
}

// newProxy forwards to moto and reports which requests moto did not answer.
func newProxy(moto *url.URL) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(moto)
	proxy.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
		if r.Context().Err() == nil { // a disconnected client is not a failure
			http.Error(w, motoProgram+" did not respond: "+err.Error(), http.StatusBadGateway)
		}
	}
	return proxy
}

// startProcess starts the program on a free port and ends it with the test.
func startProcess(t *testing.T, path, doorPort string) (address *url.URL, ended <-chan struct{}) {
	t.Helper()
	command := exec.Command(path, "-H", "127.0.0.1", "-p", "0")
	command.Env = append(os.Environ(), "MOTO_PORT="+doorPort, "PYTHONUNBUFFERED=1")
	output := &stacktest.Output{}
	moto := stacktest.Launch(t, command, output)
	t.Cleanup(func() {
		select {
		case <-moto.Done():
			t.Errorf("%s ended unexpectedly (%s); output:\n%s", motoProgram, moto.State(), output)
		default:
		}
		_ = syscall.Kill(-moto.PID(), syscall.SIGKILL) // kills its process group, including wrappers
		_ = moto.Wait()                                // reports the kill
	})
	moto.Await(t, motoProgram+" reports its address", func() bool {
		found := addressPattern.FindSubmatch(output.All())
		if found == nil {
			return false
		}
		var err error
		address, err = url.Parse(string(found[1]))
		return err == nil
	})
	return address, moto.Done()
}

// configureStates makes moto execute state machines instead of only storing them.
func configureStates(t *testing.T, address *url.URL) {
	t.Helper()
	body := strings.NewReader(`{"stepfunctions": {"execute_state_machine": true}}`)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address.String()+"/moto-api/config", body)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusCreated, answer.StatusCode)
}
