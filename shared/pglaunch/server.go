package pglaunch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/childproc"
)

// Server is a running Postgres.
type Server struct {
	base   url.URL // of the administrator
	lock   *os.File
	config Config
	remove bool // the folder, when stopped

	binaries binaries
	owner    *owner
	mu       sync.Mutex
	process  *childproc.Process // nil for a server that Attach found
}

// Start runs the cluster in c.Dir, creating it first if there is none, and
// returns when it accepts connections.
func Start(ctx context.Context, c Config) (*Server, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	held, err := lock(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	s := &Server{lock: held, config: c}
	if err := s.start(ctx); err != nil {
		_ = held.Close()
		return nil, fmt.Errorf("start PostgreSQL in %s: %w", c.Dir, err)
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	c := s.config
	var err error
	if s.binaries, err = find(ctx, c); err != nil {
		return err
	}
	if s.owner, err = chooseOwner(); err != nil {
		return err
	}
	for _, dir := range []string{c.Dir, s.binaries.dir} {
		if err := s.owner.openWay(dir, c.Progress); err != nil {
			return err
		}
	}
	secret, err := password(c.passwordFile())
	if err != nil {
		return err
	}
	if err := stopLeftovers(ctx, c.dataDir()); err != nil {
		return err
	}
	major, err := clusterVersion(c.dataDir())
	if err != nil {
		return err
	}
	if major == 0 {
		if err := createCluster(ctx, c, s.binaries, s.owner, secret); err != nil {
			return err
		}
	}
	if err := s.owner.take(c.dataDir()); err != nil {
		return fmt.Errorf("give the cluster to the server's user: %w", err)
	}
	return s.launchOnSomePort(ctx, secret)
}

// errPortTaken means that another program was faster.
var errPortTaken = errors.New("the port is taken")

// launchOnSomePort tries again when a port that was free a moment ago is not any more.
func (s *Server) launchOnSomePort(ctx context.Context, secret string) error {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		port, err := s.choosePort(ctx)
		if err != nil {
			return err
		}
		s.base = url.URL{
			Scheme: "postgres", User: url.UserPassword(Superuser, secret),
			Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/postgres", RawQuery: "sslmode=disable",
		}
		err = s.launch(ctx, port)
		if !errors.Is(err, errPortTaken) || s.config.Port != 0 || attempt == attempts {
			return err
		}
	}
}

func (s *Server) choosePort(ctx context.Context) (int, error) {
	if s.config.Port != 0 {
		return s.config.Port, nil
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	return port, nil
}

// launch starts the server and waits until it can be used.
func (s *Server) launch(ctx context.Context, port int) error {
	log, err := openLog(s.config.logFile())
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has its own descriptor
	cmd := exec.Command(s.binaries.path("postgres"), append([]string{"-D", s.config.dataDir()}, s.config.Settings.args(port)...)...)
	cmd.Dir = s.config.dataDir()
	cmd.Env = serverEnv()
	cmd.Stdout, cmd.Stderr = log, log
	s.owner.apply(cmd)
	process, err := childproc.Start(cmd, s.shutdownSignal())
	if err != nil {
		return err
	}
	if err := s.awaitReady(ctx, process); err != nil {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		return errors.Join(err, process.Stop(stopCtx, syscall.SIGQUIT, stopGrace))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = process
	return nil
}

// Restart ends the server, if it has not ended by itself, and starts it again
// on the same port. A server that Attach found is not this program's to restart.
func (s *Server) Restart(ctx context.Context) error {
	process := s.current()
	if process == nil {
		return errors.New("restart PostgreSQL: it was not started by this program")
	}
	if err := process.Stop(ctx, s.shutdownSignal(), stopGrace); err != nil {
		return fmt.Errorf("restart PostgreSQL: %w", err)
	}
	if err := stopLeftovers(ctx, s.config.dataDir()); err != nil {
		return fmt.Errorf("restart PostgreSQL: %w", err)
	}
	port, err := strconv.Atoi(s.base.Port())
	if err == nil {
		err = s.launch(ctx, port)
	}
	if err != nil {
		return fmt.Errorf("restart PostgreSQL: %w", err)
	}
	return nil
}

// current is the server's process; nil for a server that Attach found.
func (s *Server) current() *childproc.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// openLog starts the server's log afresh and keeps the one before.
func openLog(name string) (*os.File, error) {
	if err := os.Rename(name, name+".1"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("put the last log aside: %w", err)
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	return file, nil
}

// awaitReady connects until the server lets it, or has ended.
func (s *Server) awaitReady(ctx context.Context, process *childproc.Process) error {
	var last error
	ended := false
	err := poll(ctx, func() bool {
		select {
		case <-process.Done():
			ended = true
			return true
		default:
		}
		last = Ping(ctx, s.AdminURL(""))
		return last == nil
	})
	if err != nil {
		return fmt.Errorf("wait until the server answers: %w (it says: %w)", err, last)
	}
	if ended {
		return s.whyEnded()
	}
	return nil
}

func (s *Server) whyEnded() error {
	text, err := os.ReadFile(s.config.logFile())
	if err != nil {
		return fmt.Errorf("the server ended, and its log cannot be read: %w", err)
	}
	said := strings.TrimSpace(string(text))
	if strings.Contains(said, "Address already in use") {
		return fmt.Errorf("%w: %s", errPortTaken, said)
	}
	return fmt.Errorf("the server ended: %s", said)
}

// Ping connects once and says why that was not possible.
func Ping(ctx context.Context, connection string) error {
	conn, err := pgx.Connect(ctx, connection)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	return conn.Close(ctx)
}

// stopGrace is how long a server may take for its last checkpoint.
const stopGrace = 30 * time.Second

// shutdownSignal is "fast" for a cluster to be kept, "immediate" otherwise.
func (s *Server) shutdownSignal() syscall.Signal {
	if s.config.Settings.Durable {
		return syscall.SIGINT
	}
	return syscall.SIGQUIT
}

// Done is closed when the server has ended, whether stopped or crashed; after
// a Restart it is another one. It is nil, and so blocks for ever, for a server
// that Attach found.
func (s *Server) Done() <-chan struct{} {
	if process := s.current(); process != nil {
		return process.Done()
	}
	return nil
}

// PID is the server's process; 0 for a server that Attach found.
func (s *Server) PID() int {
	if process := s.current(); process != nil {
		return process.PID()
	}
	return 0
}

// Stop ends the server, unless Attach found it. Clients are disconnected. A
// second call does nothing.
func (s *Server) Stop(ctx context.Context) error {
	process := s.current()
	if process == nil {
		return nil
	}
	err := process.Stop(ctx, s.shutdownSignal(), stopGrace)
	if s.remove {
		err = errors.Join(err, os.RemoveAll(s.config.Dir))
	}
	if closing := s.lock.Close(); !errors.Is(closing, os.ErrClosed) { // stopped twice
		err = errors.Join(err, closing)
	}
	if err != nil {
		return fmt.Errorf("stop PostgreSQL in %s: %w", s.config.Dir, err)
	}
	return nil
}
