package s3

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// socketHost is the host in URLs of the child's socket; it is never resolved.
const socketHost = "s3.local"

// Timing of the child: the interval of health checks during the start, the limit for the start
// (it may wait for the child of a killed stack to finish its requests; a child that exits fails
// at once), the limit for the shutdown, and the delay before a restart.
const (
	healthEvery  = 10 * time.Millisecond
	startTimeout = 2 * time.Minute
	stopTimeout  = 5 * time.Second
	restartDelay = 200 * time.Millisecond
)

// process keeps the child running.
type process struct {
	command   []string
	dir, keys string
	socketDir string
	transport *http.Transport
	log       *slog.Logger

	stop      context.CancelFunc
	firstExit chan error    // result of the first child
	done      chan struct{} // closed when the last child has ended
}

// startProcess starts the child and waits until it responds.
func startProcess(ctx context.Context, c Config) (*process, error) {
	// A socket's path is limited to about 100 bytes; a data folder's can be longer.
	socketDir, err := os.MkdirTemp("", "loadbay-s3-")
	if err != nil {
		return nil, fmt.Errorf("create folder of the socket: %w", err)
	}
	socket := filepath.Join(socketDir, "s3.sock")
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &process{
		command: c.Command, dir: c.Dir, keys: c.Keys, socketDir: socketDir, log: c.Logger,
		transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", socket)
			},
			MaxIdleConnsPerHost: 64,
			DisableCompression:  true, // forward bodies unchanged
			WriteBufferSize:     copyBuffer,
			ReadBufferSize:      copyBuffer,
		},
		stop: stop, firstExit: make(chan error, 1), done: make(chan struct{}),
	}
	go p.keepRunning(running, socket)
	if err := p.waitHealthy(ctx); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// keepRunning restarts the child whenever it ends.
func (p *process) keepRunning(ctx context.Context, socket string) {
	defer close(p.done)
	for {
		err := p.runOnce(ctx, socket)
		if ctx.Err() != nil {
			return
		}
		select {
		case p.firstExit <- err:
		default:
		}
		p.log.Error("local S3: child process ended; restarting", "error", err)
		select {
		case <-time.After(restartDelay):
		case <-ctx.Done():
			return
		}
	}
}

func (p *process) runOnce(ctx context.Context, socket string) error {
	args := append(slices.Clone(p.command[1:]), p.dir, socket, p.keys)
	child := exec.CommandContext(ctx, p.command[0], args...)
	child.Stderr = os.Stderr
	// The child reads its input until this process has ended for any reason.
	input, err := child.StdinPipe()
	if err != nil {
		return fmt.Errorf("open the child's input: %w", err)
	}
	child.Cancel = input.Close
	child.WaitDelay = stopTimeout
	if err := child.Run(); err != nil {
		return fmt.Errorf("run %v: %w", args, err)
	}
	return errors.New("it ended without an error")
}

// waitHealthy waits until the first child responds.
func (p *process) waitHealthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	for !p.healthy(ctx) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the child process: %w", context.Cause(ctx))
		case err := <-p.firstExit:
			return fmt.Errorf("the child process ended at once: %w", err)
		case <-tick.C:
		}
	}
	return nil
}

func (p *process) healthy(ctx context.Context) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+socketHost+healthPath, nil)
	if err != nil {
		return false
	}
	answer, err := p.transport.RoundTrip(r)
	if err != nil {
		return false
	}
	_ = answer.Body.Close() // it has no body
	return answer.StatusCode == http.StatusOK
}

// close stops the child and removes its socket.
func (p *process) close() error {
	p.stop()
	<-p.done
	p.transport.CloseIdleConnections()
	if err := os.RemoveAll(p.socketDir); err != nil {
		return fmt.Errorf("remove folder of the socket: %w", err)
	}
	return nil
}
