// Package stacktest runs Loadbay for tests as its users run it: the compiled
// program in a process of its own, on free ports and in a folder of its own,
// that can be killed and started again. `make build` makes the binaries.
package stacktest

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/client"
)

// Stack is a Loadbay that runs as a process of its own.
type Stack struct {
	*client.Client
	Dir      string // DATA_DIR
	API, AWS string // addresses, as host:port

	env     []string
	command *exec.Cmd
	output  *Output
}

// Start runs Loadbay in a fresh folder on free ports until the test ends; env
// are further variables, as "NAME=value".
func Start(t *testing.T, env ...string) *Stack {
	t.Helper()
	s := &Stack{Dir: t.TempDir(), API: FreeAddress(t), AWS: FreeAddress(t), env: env, output: &Output{}}
	s.Client = client.New("http://"+s.API, "")
	s.Begin(t)
	t.Cleanup(func() {
		s.checkUses(t)
		if t.Failed() {
			t.Logf("output of loadbay:\n%s", s.output)
		}
		s.Stop()
	})
	return s
}

// Begin starts the process and waits until the API is healthy.
func (s *Stack) Begin(t *testing.T) {
	t.Helper()
	root := Root(t)
	s.command = exec.Command(filepath.Join(root, "bin", "loadbay"), "run")
	s.command.Dir = root
	s.command.Env = append(os.Environ(), append([]string{
		"DATA_DIR=" + s.Dir, "API_ADDR=" + s.API, "AWS_ADDR=" + s.AWS, "DATABASE_URL=", "BIN_DIR=" + filepath.Join(root, "bin", "functions"),
	}, s.env...)...)
	s.command.Stdout, s.command.Stderr = s.output, s.output
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, s.command.Start(), "run `make build` first")
	deadline := time.Now().Add(2 * time.Minute)
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		if answer, err := http.Get("http://" + s.API + "/health"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		require.True(t, time.Now().Before(deadline), "loadbay did not come up:\n%s", s.output)
	}
}

// Stop ends the process in order: its Postgres has stopped writing to the folder
// when it returns, which a killed one's has not.
func (s *Stack) Stop() {
	if s.command == nil {
		return
	}
	killing := time.AfterFunc(30*time.Second, func() { _ = s.command.Process.Kill() })
	defer killing.Stop()
	_ = s.command.Process.Signal(syscall.SIGTERM)
	_ = s.command.Wait()
}

// Output is all that the process has written so far.
func (s *Stack) Output() []byte { return s.output.All() }

// Kill ends the process, and with it all that it started, as a crash would.
func (s *Stack) Kill() {
	if s.command == nil || s.command.Process == nil {
		return
	}
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
	s.command = nil
}

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

// Root is the repository's folder.
func Root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		require.NotEqual(t, "/", dir, "no go.mod above the test")
	}
}
