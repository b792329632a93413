// Package childproc starts processes that end with this one. A program killed with SIGKILL
// cannot clean up its children; on Linux the kernel does so (PR_SET_PDEATHSIG). On other
// systems a child outlives a killed parent, and the next start must handle the old child.
package childproc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Process is a started child process. Its methods are safe for concurrent use.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // result of Wait; set before done is closed
}

// Start starts cmd in its own process group, so that Ctrl-C at the terminal reaches only this
// process, which then ends its children in order. When this process dies for any reason, the
// child receives onDeath.
//
// The kernel sends that signal when the *thread* that started the child ends, so the child
// occupies a thread of this process for its whole life.
func Start(cmd *exec.Cmd, onDeath syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	signalOnDeath(cmd.SysProcAttr, onDeath)

	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// Run starts cmd and waits for its end; it kills cmd when ctx is done first.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	p, err := Start(cmd, syscall.SIGKILL)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
	}
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return ctx.Err()
}

// PID is the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended and was waited for.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the end and returns the result of exec.Cmd.Wait.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// State returns the exit status and resource usage of the process; nil while it runs.
func (p *Process) State() *os.ProcessState {
	select {
	case <-p.done:
		return p.cmd.ProcessState
	default:
		return nil
	}
}

// Signal sends sig; it returns no error if the process has already ended.
func (p *Process) Signal(sig syscall.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %s to process %d: %w", sig, p.PID(), err)
	}
	return nil
}

// Stop sends sig and waits; it kills the process if it still runs after the grace period or when
// ctx is done. It returns when the process has ended.
func (p *Process) Stop(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	if err := p.Signal(sig); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	}
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}
