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
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// errPortTaken means that another program has taken the port first.
var errPortTaken = errors.New("the port is in use")

// launchOnSomePort retries if another program has taken the port first.
func (s *Server) launchOnSomePort(ctx context.Context, secret string) error {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		port, err := s.choosePort()
		if err != nil {
			return err
		}
		s.base = url.URL{
			Scheme: "postgres", User: url.UserPassword(Superuser, secret),
			Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/postgres", RawQuery: "sslmode=disable",
		}
		err = s.launch(ctx, port)
		if err != nil {
			_ = s.port.Close() // fails harmlessly if port is nil
		}
		if !errors.Is(err, errPortTaken) || s.config.Port != 0 || attempt == attempts {
			return err
		}
	}
}

func (s *Server) choosePort() (port int, err error) {
	if s.config.Port != 0 {
		return s.config.Port, nil
	}
	port, s.port, err = reservePort()
	return port, err
}

// launch starts the server and waits until it is ready.
func (s *Server) launch(ctx context.Context, port int) error {
	log, err := rotateLog(s.config.logFile())
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has its own descriptor
	args := append([]string{"-D", s.config.dataDir()}, s.config.Settings.args(port)...)
	if s.config.Settings.TrackStatements && s.binaries.hasStatementStats() {
		args = append(args, "-c", "shared_preload_libraries="+statementsLibrary)
	}
	cmd := exec.Command(s.binaries.path("postgres"), args...)
	cmd.Dir = s.config.dataDir()
	cmd.Env = serverEnv()
	cmd.Stdout, cmd.Stderr = log, log
	s.owner.apply(cmd)
	process, err := childproc.Start(cmd, s.shutdownSignal())
	if err != nil {
		return err
	}
	if err := s.waitReady(ctx, process); err != nil {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		return errors.Join(err, process.Stop(stopCtx, syscall.SIGQUIT, stopGrace))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = process
	return nil
}

// rotateLog starts a new server log and keeps the previous one.
func rotateLog(name string) (*os.File, error) {
	if err := os.Rename(name, name+".1"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("rename previous log: %w", err)
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	return file, nil
}

// waitReady tries to connect until the server accepts or has ended.
func (s *Server) waitReady(ctx context.Context, process *childproc.Process) error {
	connecting, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // also ends a connection to another program on this port
		select {
		case <-process.Done():
			stop()
		case <-connecting.Done():
		}
	}()
	var last error
	err := pollUntil(connecting, func() bool {
		last = Ping(connecting, s.AdminURL(""))
		return last == nil
	})
	select {
	case <-process.Done():
		return s.exitError()
	default:
	}
	if err != nil {
		return fmt.Errorf("wait for the server: %w (last error: %w)", err, last)
	}
	return nil
}

func (s *Server) exitError() error {
	text, err := os.ReadFile(s.config.logFile())
	if err != nil {
		return fmt.Errorf("the server ended; read its log: %w", err)
	}
	message := strings.TrimSpace(string(text))
	if strings.Contains(message, "Address already in use") {
		return fmt.Errorf("%w: %s", errPortTaken, message)
	}
	return fmt.Errorf("the server ended: %s", message)
}

// Ping connects once and returns the reason for a failure.
func Ping(ctx context.Context, connection string) error {
	conn, err := pgx.Connect(ctx, connection)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	return conn.Close(ctx)
}
