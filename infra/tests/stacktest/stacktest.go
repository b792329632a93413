// Package stacktest runs Loadbay for tests as its users run it: the compiled
// program in its own process, on free ports and in its own folder, with the option
// to kill and restart it. `make build` builds the binaries.
//
// Tested by infra/tests/e2e: every stack of that suite.
package stacktest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// Stack is a Loadbay in its own process.
type Stack struct {
	*rawclient.Client
	Dir      string // DATA_DIR
	API, AWS string // addresses, as host:port; they change with each Restart

	root    string // of the checkout with the binaries that run
	env     []string
	program *Program // nil after Stop or Kill
	output  *Output
}

// Start runs Loadbay in a fresh folder on free ports until the test ends; env
// contains additional variables, as "NAME=value".
func Start(t *testing.T, env ...string) *Stack {
	t.Helper()
	return StartBuild(t, Root(t), env...)
}

// StartBuild is like Start, with the binaries of another checkout, such as that of an
// earlier release.
func StartBuild(t *testing.T, root string, env ...string) *Stack {
	t.Helper()
	SkipShort(t) // before anything needs cleaning up
	s := &Stack{Dir: t.TempDir(), root: root, env: env, output: &Output{}}
	t.Cleanup(func() {
		s.requireAlive(t)
		s.checkUses(t)
		if t.Failed() {
			t.Logf("output of loadbay:\n%s", s.output)
		}
		s.Stop()
	})
	s.Restart(t)
	return s
}

// Restart starts the process and waits until the API is healthy.
func (s *Stack) Restart(t *testing.T) {
	t.Helper()
	s.removeAddresses(t)
	command := exec.Command(filepath.Join(s.root, "bin", "loadbay-local"), "run")
	require.FileExists(t, command.Path, "run `make build` first")
	command.Dir = s.root
	command.Env = append(os.Environ(), append([]string{
		"DATA_DIR=" + s.Dir, "API_ADDR=127.0.0.1:0", "AWS_ADDR=127.0.0.1:0", "DATABASE_URL=", "BIN_DIR=" + filepath.Join(s.root, "bin", "functions"),
	}, s.env...)...)
	s.program = Launch(t, command, s.output)
	s.Await(t, "loadbay is healthy", func() bool { return s.readAddresses() && s.isHealthy() })
}

// Setenv sets variables of the process, as "NAME=value", from the next Restart on.
func (s *Stack) Setenv(env ...string) { s.env = append(s.env, env...) }

// Await waits for an effect of the stack: it fails immediately if the process ends.
func (s *Stack) Await(t *testing.T, what string, so func() bool) {
	t.Helper()
	awaitCondition(t, what, so, s.program)
}

// Exited returns a channel that is closed when the process ends unexpectedly. It is nil after
// the test has ended the process.
func (s *Stack) Exited() <-chan struct{} { return s.program.exited() }

// requireAlive fails the test if the process has ended unexpectedly.
func (s *Stack) requireAlive(t *testing.T) {
	select {
	case <-s.Exited():
		t.Errorf("loadbay ended unexpectedly: %s", s.program.State())
	default:
	}
}

// Stop shuts the process down: when it returns, Postgres has stopped writing to the folder,
// which Kill does not guarantee.
func (s *Stack) Stop() {
	if s.program == nil {
		return
	}
	_ = s.program.Stop(context.Background(), syscall.SIGTERM, Timeout) // it has ended in any case
	s.program = nil
}

// Deploy replaces the binaries by those of another checkout.
func (s *Stack) Deploy(t *testing.T, root string) {
	t.Helper()
	s.Stop()
	s.root = root
	s.Restart(t)
}

// Kill ends the process and its child processes, like a crash.
func (s *Stack) Kill() {
	if s.program == nil {
		return
	}
	_ = s.program.Signal(syscall.SIGKILL)
	_ = s.program.Wait() // reports the kill
	s.program = nil
}

// Output returns the output of the process so far.
func (s *Stack) Output() []byte { return s.output.All() }

// Query returns one value from the database, as its administrator.
func Query[T any](t *testing.T, s *Stack, sql string, args ...any) T {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), s.DatabaseURL(t))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var v T
	require.NoError(t, conn.QueryRow(context.Background(), sql, args...).Scan(&v))
	return v
}

// SkipShort skips a test with `go test -short`: for tests that run all of Loadbay or are
// similarly slow.
func SkipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs all of Loadbay; skipped with -short")
	}
}

// Root returns the repository's folder, which contains the results of `make build`. It skips the
// test with -short.
func Root(t *testing.T) string {
	t.Helper()
	SkipShort(t)
	dir, err := os.Getwd()
	require.NoError(t, err)
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		require.NotEqual(t, "/", dir, "no go.mod in the parent folders")
	}
}
