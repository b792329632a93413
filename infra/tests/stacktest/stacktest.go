// Package stacktest runs Loadbay for tests as its users run it: the compiled
// program in a process of its own, on free ports and in a folder of its own,
// that can be killed and started again. `make build` makes the binaries.
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

// Stack is a Loadbay that runs as a process of its own.
type Stack struct {
	*rawclient.Client
	Dir      string // DATA_DIR
	API, AWS string // addresses, as host:port; others after each Begin

	env     []string
	program *Program // nil when it was stopped or killed
	output  *Output
}

// Start runs Loadbay in a fresh folder on free ports until the test ends; env
// are further variables, as "NAME=value".
func Start(t *testing.T, env ...string) *Stack {
	t.Helper()
	SkipShort(t) // before there is anything to clean up
	s := &Stack{Dir: t.TempDir(), env: env, output: &Output{}}
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
	root := Root(t)
	command := exec.Command(filepath.Join(root, "bin", "loadbay-local"), "run")
	require.FileExists(t, command.Path, "run `make build` first")
	command.Dir = root
	command.Env = append(os.Environ(), append([]string{
		"DATA_DIR=" + s.Dir, "API_ADDR=127.0.0.1:0", "AWS_ADDR=127.0.0.1:0", "DATABASE_URL=", "BIN_DIR=" + filepath.Join(root, "bin", "functions"),
	}, s.env...)...)
	s.program = Launch(t, command, s.output)
	s.Await(t, "loadbay is up", func() bool { return s.readAddresses() && s.isHealthy() })
}

// Await waits for an effect of the stack: it fails at once if the process ends.
func (s *Stack) Await(t *testing.T, what string, so func() bool) {
	t.Helper()
	awaitCondition(t, what, so, s.program)
}

// Exited is closed when the process has ended by itself. It is nil, and so never
// closed, when the test has ended it.
func (s *Stack) Exited() <-chan struct{} { return s.program.exited() }

// requireAlive fails the test if the process has ended by itself.
func (s *Stack) requireAlive(t *testing.T) {
	select {
	case <-s.Exited():
		t.Errorf("loadbay has ended by itself: %s", s.program.State())
	default:
	}
}

// Stop shuts the process down: its Postgres has stopped writing to the folder
// when it returns, which a killed one's has not.
func (s *Stack) Stop() {
	if s.program == nil {
		return
	}
	_ = s.program.Stop(context.Background(), syscall.SIGTERM, Timeout) // it has ended in any case
	s.program = nil
}

// Kill ends the process, and with it all that it started, as a crash would.
func (s *Stack) Kill() {
	if s.program == nil {
		return
	}
	_ = s.program.Signal(syscall.SIGKILL)
	_ = s.program.Wait() // reports the kill
	s.program = nil
}

// Output is all that the process has written so far.
func (s *Stack) Output() []byte { return s.output.All() }

// Query returns one value from the database as its administrator sees it.
func Query[T any](t *testing.T, s *Stack, sql string, args ...any) T {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), s.DatabaseURL(t))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var v T
	require.NoError(t, conn.QueryRow(context.Background(), sql, args...).Scan(&v))
	return v
}

// SkipShort skips a test with `go test -short`: one that runs all of Loadbay, or something
// that is as slow.
func SkipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs all of Loadbay, which -short leaves out")
	}
}

// Root is the repository's folder, which holds what `make build` has built. It skips the
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
		require.NotEqual(t, "/", dir, "no go.mod above the test")
	}
}
