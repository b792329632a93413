package pglaunch_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// hostEnv makes the test binary act as a program that starts a server in that folder, prints the
// administrator's URL and waits to be killed.
const hostEnv = "PGLAUNCH_TEST_HOST"

func TestMain(m *testing.M) {
	if dir := os.Getenv(hostEnv); dir != "" {
		runHost(dir)
	}
	os.Exit(m.Run())
}

func runHost(dir string) {
	s, err := pglaunch.Start(context.Background(), pglaunch.Config{Dir: dir, Settings: pglaunch.BulkSettings()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.PID(), s.AdminURL(""))
	<-s.Done()
	_, _ = io.Copy(io.Discard, os.Stdin) // blocks until the process is killed
	os.Exit(3)
}

// hostProcess is a program with a server, in its own process.
type hostProcess struct {
	process *exec.Cmd
	server  int
	admin   string
}

func startHost(t *testing.T, dir string) *hostProcess {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hostEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	_, err = cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	h := &hostProcess{process: cmd}
	t.Cleanup(h.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	_, err = fmt.Sscan(line, &h.server, &h.admin)
	require.NoError(t, err)
	return h
}

func (h *hostProcess) kill() {
	_ = h.process.Process.Kill()
	_ = h.process.Wait()
}

// startServer runs a server that is stopped at the end of the test.
func startServer(t *testing.T, dir string) *pglaunch.Server {
	t.Helper()
	return startServerWith(t, pglaunch.Config{Dir: dir, Settings: pglaunch.ThrowawaySettings()})
}

func startServerWith(t *testing.T, c pglaunch.Config) *pglaunch.Server {
	t.Helper()
	s, err := pglaunch.Start(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	return s
}

func connect(t *testing.T, connection string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), connection)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func mustExec(t *testing.T, connection, sql string) {
	t.Helper()
	_, err := connect(t, connection).Exec(t.Context(), sql)
	require.NoError(t, err)
}

func mustQuery[T any](t *testing.T, connection, sql string) T {
	t.Helper()
	var value T
	require.NoError(t, connect(t, connection).QueryRow(t.Context(), sql).Scan(&value))
	return value
}

func TestDataSurvivesRestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "made", "yet")
	first, err := pglaunch.Start(t.Context(), pglaunch.Config{Dir: dir})
	require.NoError(t, err)
	mustExec(t, first.AdminURL(""), `CREATE TABLE kept AS SELECT 'ä' AS text`)
	require.NoError(t, first.Stop(t.Context()))
	require.Error(t, pglaunch.Ping(t.Context(), first.AdminURL("")))

	second := startServer(t, dir)
	require.Equal(t, "ä", mustQuery[string](t, second.AdminURL(""), `SELECT text FROM kept`))
}

func TestServerSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServerWith(t, pglaunch.Config{Dir: dir})
	for setting, want := range map[string]string{
		"server_encoding": "UTF8", "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
		"listen_addresses": "127.0.0.1", "password_encryption": "scram-sha-256",
	} {
		require.Equal(t, want, mustQuery[string](t, s.AdminURL(""), `SELECT current_setting('`+setting+`')`), setting)
	}
	require.True(t, mustQuery[bool](t, s.AdminURL(""), `SELECT 'Z' < 'a' AND lower('Ä') = 'ä'`), "the collation sorts by code point and knows Unicode letters")

	info, err := os.Stat(filepath.Join(dir, "password"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.Error(t, pglaunch.Ping(t.Context(), s.URL(pglaunch.Superuser, "guessed", "")), "a wrong password is refused")
	mustExec(t, s.AdminURL(""), `CREATE DATABASE other`)
	mustExec(t, s.AdminURL(""), `CREATE ROLE somebody LOGIN PASSWORD 'p@ss/word'`)
	require.Equal(t, "other", mustQuery[string](t, s.URL("somebody", "p@ss/word", "other"), `SELECT current_database()`))
}

func TestFailedStatementDataIsNotLogged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, dir)
	mustExec(t, s.AdminURL(""), `CREATE TABLE people (email text PRIMARY KEY)`)
	mustExec(t, s.AdminURL(""), `INSERT INTO people VALUES ('ada@example.org')`)
	_, err := connect(t, s.AdminURL("")).Exec(t.Context(), `INSERT INTO people VALUES ('ada@example.org')`)
	require.Error(t, err)
	require.NoError(t, s.Stop(t.Context()))
	log, err := os.ReadFile(filepath.Join(dir, "postgres.log"))
	require.NoError(t, err)
	require.Contains(t, string(log), "database system is ready to accept connections")
	require.NotContains(t, string(log), "ada@")
}

func TestKilledHostStopsServerAndRestarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := startHost(t, dir)
	mustExec(t, h.admin, `CREATE TABLE committed AS SELECT 1 AS one`)
	h.kill()
	s := startServer(t, dir) // immediately: the old server may still be shutting down
	require.Equal(t, 1, mustQuery[int](t, s.AdminURL(""), `SELECT one FROM committed`))
	require.NotEqual(t, h.server, s.PID())
}

func TestKilledServerIsReplacedWithBusyClient(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := startHost(t, dir)
	mustExec(t, h.admin, `CREATE TABLE committed AS SELECT 1 AS one`)
	busy := connect(t, h.admin)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = busy.Exec(t.Context(), `SELECT count(*) FROM generate_series(1, 1000000000)`)
	}()
	t.Cleanup(func() { <-ended }) // before closing the connection, which both use
	require.Eventually(t, func() bool {
		return mustQuery[bool](t, h.admin, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series%' AND pid <> pg_backend_pid())`)
	}, 2*time.Minute, 10*time.Millisecond)
	require.NoError(t, syscall.Kill(h.server, syscall.SIGKILL))
	h.kill()

	s := startServer(t, dir)
	require.Equal(t, 1, mustQuery[int](t, s.AdminURL(""), `SELECT one FROM committed`))
}

func TestForeignPIDFileIsIgnored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := pglaunch.Start(t.Context(), pglaunch.Config{Dir: dir, Settings: pglaunch.ThrowawaySettings()})
	require.NoError(t, err)
	pidFile := filepath.Join(dir, "data", "postmaster.pid")
	text, err := os.ReadFile(pidFile)
	require.NoError(t, err)
	require.NoError(t, first.Stop(t.Context()))

	bystander := exec.Command("sleep", "600")
	require.NoError(t, bystander.Start())
	t.Cleanup(func() { _ = bystander.Process.Kill(); _ = bystander.Wait() })
	_, rest, _ := strings.Cut(string(text), "\n")
	require.NoError(t, os.WriteFile(pidFile, fmt.Appendf(nil, "%d\n%s", bystander.Process.Pid, rest), 0o600))

	startServer(t, dir)
	require.NoError(t, bystander.Process.Signal(syscall.Signal(0)), "the other process still runs")
}

func TestIncompleteClusterIsRecreated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "data.new", "base"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data.new", "PG_VERSION"), []byte("15\n"), 0o600))
	s := startServer(t, dir)
	require.NoError(t, pglaunch.Ping(t.Context(), s.AdminURL("")))
}

func TestFolderIsLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, dir)
	_, err := pglaunch.Start(t.Context(), pglaunch.Config{Dir: dir})
	require.ErrorIs(t, err, pglaunch.ErrInUse)
	require.NoError(t, pglaunch.Ping(t.Context(), s.AdminURL("")), "the first server still runs")
}

func TestTakenPortIsError(t *testing.T) {
	t.Parallel()
	first := startServer(t, t.TempDir())
	at, err := url.Parse(first.AdminURL(""))
	require.NoError(t, err)
	var port int
	_, err = fmt.Sscan(at.Port(), &port)
	require.NoError(t, err)
	_, err = pglaunch.Start(t.Context(), pglaunch.Config{Dir: t.TempDir(), Port: port, Settings: pglaunch.ThrowawaySettings()})
	require.ErrorContains(t, err, "Address already in use")
}

func TestDoneReportsCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := pglaunch.Start(t.Context(), pglaunch.Config{Dir: dir, Settings: pglaunch.ThrowawaySettings()})
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(s.PID(), syscall.SIGKILL))
	select {
	case <-s.Done():
	case <-time.After(2 * time.Minute):
		t.Fatal("the server's end was not reported")
	}
	require.NoError(t, s.Stop(t.Context()), "stopping an ended server succeeds")
	require.NoError(t, s.Stop(t.Context()), "Stop can be called twice")
	startServer(t, dir)
}

func TestRestartKeepsAddress(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir())
	mustExec(t, s.AdminURL(""), `CREATE TABLE kept AS SELECT 1 AS one`)
	address, before := s.AdminURL(""), s.PID()
	require.NoError(t, s.Restart(t.Context()))
	require.NoError(t, syscall.Kill(s.PID(), syscall.SIGKILL)) // simulates a crash
	<-s.Done()
	require.NoError(t, s.Restart(t.Context()))
	require.NotEqual(t, before, s.PID())
	require.Equal(t, 1, mustQuery[int](t, address, `SELECT one FROM kept`))

	attached, err := pglaunch.Attach(t.Context(), address)
	require.NoError(t, err)
	require.Error(t, attached.Restart(t.Context()))
}

func TestTemporaryServerRemovesFiles(t *testing.T) {
	t.Parallel()
	s, err := pglaunch.StartTemporary(t.Context())
	require.NoError(t, err)
	dataDir := mustQuery[string](t, s.AdminURL(""), `SHOW data_directory`)
	require.Equal(t, "off", mustQuery[string](t, s.AdminURL(""), `SHOW fsync`))
	require.NoError(t, s.Stop(t.Context()))
	require.NoDirExists(t, filepath.Dir(dataDir))
}

func TestAttachedServerKeepsRunning(t *testing.T) {
	t.Parallel()
	owned := startServer(t, t.TempDir())
	attached, err := pglaunch.Attach(t.Context(), owned.AdminURL("template1"))
	require.NoError(t, err)
	require.Equal(t, "template1", mustQuery[string](t, attached.AdminURL(""), `SELECT current_database()`))
	require.NoError(t, attached.Stop(t.Context()))
	require.NoError(t, pglaunch.Ping(t.Context(), owned.AdminURL("")))
}

func TestAttachErrorHidesPassword(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"postgres://me:s3cret@/x", "mysql://me:s3cret@host/x", "postgres://me:s3cret%zz@host/x", "postgres://me:s3cret@127.0.0.1:1/x"} {
		_, err := pglaunch.Attach(t.Context(), bad)
		require.ErrorContains(t, err, "DATABASE_URL")
		require.NotContains(t, err.Error(), "s3cret")
	}
}
