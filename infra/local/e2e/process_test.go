package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/client"
	"github.com/loadbay/loadbay/infra/local/stack"
)

// running is a Loadbay that runs as a process of its own.
type running struct {
	*client.Client
	dir, api, aws string
	env           []string
	command       *exec.Cmd
	output        *lockedBuffer
}

// start runs Loadbay in a fresh folder on free ports.
func start(t *testing.T, env ...string) *running {
	t.Helper()
	r := &running{dir: t.TempDir(), api: freeAddress(t), aws: freeAddress(t), env: env, output: &lockedBuffer{}}
	r.Client = client.New("http://"+r.api, "")
	r.begin(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("output of loadbay:\n%s", r.output)
		}
		r.stop()
	})
	return r
}

// begin starts the process and waits until the API is healthy.
func (r *running) begin(t *testing.T) {
	t.Helper()
	root := root(t)
	r.command = exec.Command(filepath.Join(root, "bin", "loadbay"), "run")
	r.command.Dir = root
	r.command.Env = append(os.Environ(), append([]string{
		"DATA_DIR=" + r.dir, "API_ADDR=" + r.api, "AWS_ADDR=" + r.aws, "DATABASE_URL=", "BIN_DIR=" + filepath.Join(root, "bin", "functions"),
	}, r.env...)...)
	r.command.Stdout, r.command.Stderr = r.output, r.output
	r.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, r.command.Start(), "run `make build` first")
	deadline := time.Now().Add(2 * time.Minute)
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		if answer, err := http.Get("http://" + r.api + "/health"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		require.True(t, time.Now().Before(deadline), "loadbay did not come up:\n%s", r.output)
	}
}

// stop ends the process in order: its Postgres has stopped writing to the folder
// when it returns, which a killed one's has not.
func (r *running) stop() {
	if r.command == nil {
		return
	}
	killing := time.AfterFunc(30*time.Second, func() { _ = r.command.Process.Kill() })
	defer killing.Stop()
	_ = r.command.Process.Signal(syscall.SIGTERM)
	_ = r.command.Wait()
}

// kill ends the process, and with it all that it started, as a crash would.
func (r *running) kill() {
	if r.command == nil || r.command.Process == nil {
		return
	}
	_ = r.command.Process.Kill()
	_ = r.command.Wait()
	r.command = nil
}

// query returns one value from the database as its administrator sees it.
func query[T any](t *testing.T, r *running, sql string, args ...any) T {
	t.Helper()
	url, err := os.ReadFile(filepath.Join(r.dir, stack.URLFile))
	require.NoError(t, err)
	conn, err := pgx.Connect(context.Background(), strings.TrimSpace(string(url)))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var v T
	require.NoError(t, conn.QueryRow(context.Background(), sql, args...).Scan(&v))
	return v
}

// root is the repository's folder.
func root(t *testing.T) string {
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

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// lockedBuffer collects a process's output.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var last []string
	for lines := bufio.NewScanner(bytes.NewReader(b.buf.Bytes())); lines.Scan(); {
		if last = append(last, lines.Text()); len(last) > 60 {
			last = last[1:]
		}
	}
	return fmt.Sprintln(strings.Join(last, "\n"))
}
