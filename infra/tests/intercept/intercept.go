// Package intercept is a proxy between the functions of a local Loadbay and the
// database and AWS, for tests of failures.
//
// The functions are the deployed binaries: nothing is compiled into them. Each is
// started by a script that gives it other addresses, on which an Interceptor
// listens. So a test sees every statement and every request, with the process that
// sent it, before it is forwarded, and may let it pass, delay it, change its
// response, close the connection, or kill the process: before the commit of a
// chunk, after it, before a task is completed.
//
// Tested by infra/tests/faults: every fault that is injected.
package intercept

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Interceptor accepts connections from functions.
type Interceptor struct {
	// BinDir is the BIN_DIR to use for the stack.
	BinDir string

	sql atomic.Pointer[SQLHook]
	aws atomic.Pointer[AWSHook]
	// The real addresses that the stack gave to the functions, learnt from their
	// requests: for callers that do not identify themselves, such as those of presigned URLs.
	database, endpoint atomic.Pointer[string]
	transport          *http.Transport
}

// New listens until the test ends. binDir contains the functions' binaries; env are
// additional variables for the functions, as "NAME=value".
func New(t *testing.T, binDir string, env ...string) *Interceptor {
	t.Helper()
	b := &Interceptor{BinDir: t.TempDir(), transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 32}}
	databases, endpoints := newListener(t), newListener(t)
	go b.acceptConnections(databases)
	server := &http.Server{Handler: http.HandlerFunc(b.serveAWS)}
	go func() { _ = server.Serve(endpoints) }() // ends with Close
	t.Cleanup(func() {
		_ = databases.Close()
		_ = server.Close()
		b.transport.CloseIdleConnections()
	})
	b.writeScripts(t, binDir, databases.Addr().String(), endpoints.Addr().String(), env)
	return b
}

func newListener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return l
}

// script starts a function with other addresses. It puts the name of the caller and the
// original address into the fields with which a client may identify itself: AWS's
// application id and Postgres's application name.
const script = `#!/bin/sh
export AWS_SDK_UA_APP_ID=%[1]s.$$.${AWS_ENDPOINT_URL##*:} AWS_ENDPOINT_URL=http://%[4]s
if [ -n "$DATABASE_URL" ]; then
	place=${DATABASE_URL#*@}
	port=${place%%%%/*}
	DATABASE_URL="${DATABASE_URL%%%%@*}@%[3]s/${place#*/}&application_name=%[1]s.$$.${port##*:}"
	export DATABASE_URL
fi
%[5]s
exec '%[2]s' "$@"
`

func (b *Interceptor) writeScripts(t *testing.T, binDir, database, endpoint string, env []string) {
	t.Helper()
	var exports strings.Builder
	for _, e := range env {
		fmt.Fprintf(&exports, "export '%s'\n", e)
	}
	binaries, err := filepath.Glob(filepath.Join(binDir, "*", "bootstrap"))
	require.NoError(t, err)
	require.NotEmpty(t, binaries, "run `make build` first")
	for _, binary := range binaries {
		function := filepath.Base(filepath.Dir(binary))
		require.NoError(t, os.Mkdir(filepath.Join(b.BinDir, function), 0o755))
		text := fmt.Sprintf(script, function, binary, database, endpoint, exports.String())
		require.NoError(t, os.WriteFile(filepath.Join(b.BinDir, function, "bootstrap"), []byte(text), 0o755))
	}
}

// Process is one instance of a function; zero for any other caller.
type Process struct {
	Function string
	PID      int
}

// Kill ends the process immediately, like a crash of its machine.
func (p Process) Kill() { _ = syscall.Kill(p.PID, syscall.SIGKILL) } // it may have ended already

var errUnnamed = errors.New("the caller is not identified")

// parseProcess parses the identification that the script has added.
func parseProcess(name string) (p Process, port string, err error) {
	parts := strings.Split(name, ".")
	if len(parts) != 3 {
		return p, "", errUnnamed
	}
	pid, err := strconv.Atoi(parts[1])
	return Process{Function: parts[0], PID: pid}, "127.0.0.1:" + parts[2], err
}
