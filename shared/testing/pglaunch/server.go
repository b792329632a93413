package pglaunch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// Server is a running Postgres server.
type Server struct {
	base   url.URL // the administrator's URL
	lock   *os.File
	port   *os.File // reserves the port during a Restart; nil if it is not reserved
	config Config
	remove bool // deletes the folder when stopped

	binaries binaries
	owner    *owner
	mu       sync.Mutex
	process  *childproc.Process // nil for an attached server
}

// Start runs the cluster in c.Dir, creating it first if there is none, and returns when it
// accepts connections.
func Start(ctx context.Context, c Config) (*Server, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	held, err := lockDir(c.Dir)
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
	_, err := os.Stat(c.upgradeConfig().completeFile())
	if err == nil {
		return errInterrupted
	}
	if s.binaries, err = findBinaries(ctx, c); err != nil {
		return err
	}
	if s.owner, err = chooseOwner(); err != nil {
		return err
	}
	for _, dir := range []string{c.Dir, s.binaries.dir} {
		if err := s.owner.openParents(dir, c.Progress); err != nil {
			return err
		}
	}
	secret, err := readPassword(c.passwordFile())
	if err != nil {
		return err
	}
	if err := stopOrphans(ctx, c.dataDir()); err != nil {
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
	if err := s.owner.chownAll(c.dataDir()); err != nil {
		return fmt.Errorf("change owner of the cluster: %w", err)
	}
	return s.launchOnSomePort(ctx, secret)
}

// Restart stops the server, if it is running, and starts it again on the same port. An attached
// server cannot be restarted.
func (s *Server) Restart(ctx context.Context) error {
	process := s.currentProcess()
	if process == nil {
		return errors.New("restart PostgreSQL: it was not started by this program")
	}
	if err := process.Stop(ctx, s.shutdownSignal(), stopGrace); err != nil {
		return fmt.Errorf("restart PostgreSQL: %w", err)
	}
	if err := stopOrphans(ctx, s.config.dataDir()); err != nil {
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

// currentProcess returns the server's process; nil for an attached server.
func (s *Server) currentProcess() *childproc.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// stopGrace is the time that a server may take for its last checkpoint.
const stopGrace = 30 * time.Second

// shutdownSignal returns "fast" for a permanent cluster, "immediate" otherwise.
func (s *Server) shutdownSignal() syscall.Signal {
	if s.config.Settings.Durable {
		return syscall.SIGINT
	}
	return syscall.SIGQUIT
}

// Done is closed when the server has ended, whether stopped or crashed. Restart replaces the
// channel. It is nil, and so blocks forever, for an attached server.
func (s *Server) Done() <-chan struct{} {
	if process := s.currentProcess(); process != nil {
		return process.Done()
	}
	return nil
}

// PID returns the server's process id; 0 for an attached server.
func (s *Server) PID() int {
	if process := s.currentProcess(); process != nil {
		return process.PID()
	}
	return 0
}

// Stop stops the server, unless it is attached. Clients are disconnected. A second call does
// nothing.
func (s *Server) Stop(ctx context.Context) error {
	process := s.currentProcess()
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
	_ = s.port.Close() // nothing was written to the file
	if err != nil {
		return fmt.Errorf("stop PostgreSQL in %s: %w", s.config.Dir, err)
	}
	return nil
}
