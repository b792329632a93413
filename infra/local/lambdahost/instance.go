package lambdahost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// initTimeout is how long Lambda lets an instance initialise before it counts the time
// towards the function's own timeout.
const initTimeout = 10 * time.Second

// outputTimeout is how long the output of a dead process is still read; a
// grandchild that keeps the pipe open must not block the host.
const outputTimeout = 2 * time.Second

// instance is one process of a function.
type instance struct {
	id        string
	pool      *pool
	process   *childproc.Process
	memory    *memoryMeter
	work      chan *invocation // received by the process when it requests the next invocation
	idleTimer *time.Timer

	mu        sync.Mutex
	current   *invocation
	initError []byte // the error that the process reported before it exited
}

func startInstance(p *pool) (*instance, error) {
	h := p.host
	i := &instance{id: h.instances.newID(), pool: p, work: make(chan *invocation)}
	temp := filepath.Join(h.config.TempDir, i.id)
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.function.Name, err)
	}
	bootstrap, err := filepath.Abs(h.bootstrapPath(p.function.Name))
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.function.Name, err)
	}
	cmd := exec.Command(bootstrap)
	cmd.Dir = filepath.Dir(bootstrap)
	cmd.Env = p.function.environment(h.address+instancePath+i.id, bootstrap, temp, i.id)
	out := &lineWriter{emit: func(line []byte) { h.config.Output(p.function.Name, line) }}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = outputTimeout
	err = h.instances.add(i, func() error {
		var err error
		i.process, err = childproc.Start(cmd, syscall.SIGKILL)
		i.memory = newMemoryMeter(i.process)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	go i.cleanUp(out, temp)
	return i, nil
}

// cleanUp releases the instance's resources after its process has ended for any reason.
func (i *instance) cleanUp(out *lineWriter, temp string) {
	_ = i.process.Wait() // State returns the reason
	out.flush()
	i.pool.removeIdle(i)
	i.pool.host.instances.remove(i)
	i.pool.stats.addCPU(i.process.State().UserTime() + i.process.State().SystemTime())
	if err := os.RemoveAll(temp); err != nil {
		i.pool.host.config.Logger.Warn("could not remove a function's temporary files", "function", i.pool.function.Name, "error", err)
	}
}

// serve passes the invocation to the process and waits for its outcome.
// seen is false if the process ended before it received the invocation.
func (i *instance) serve(inv *invocation) (a outcome, seen bool) {
	ready := time.NewTimer(initTimeout + inv.timeout)
	defer ready.Stop()
	select {
	case i.work <- inv:
	case <-i.process.Done():
		return i.initFailure(inv), false
	case <-ready.C:
		i.kill("it did not become ready")
		return timeoutFailure(inv), true
	}
	deadline := time.NewTimer(inv.timeout)
	defer deadline.Stop()
	select {
	case a = <-inv.outcomes:
		return a, true
	case <-i.process.Done():
		return i.finalOutcome(inv), true
	case <-deadline.C:
		i.kill("it exceeded " + inv.timeout.String())
		return timeoutFailure(inv), true
	}
}

// finalOutcome returns the outcome after the process has ended: the one that it still
// reported, or a failure because it ended.
func (i *instance) finalOutcome(inv *invocation) outcome {
	select {
	case a := <-inv.outcomes:
		return a
	default:
	}
	how := ""
	if state := i.process.State(); !state.Success() {
		how = state.String()
	}
	i.pool.host.config.Logger.Warn("a function's process ended during an invocation",
		"function", i.pool.function.Name, "requestId", inv.id, "how", i.process.State().String())
	return exitFailure(inv, how)
}

func (i *instance) initFailure(inv *invocation) outcome {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.initError != nil {
		return outcome{output: i.initError, kind: "init"}
	}
	a := exitFailure(inv, i.process.State().String())
	a.kind = "init"
	return a
}

// kill ends the process and waits for its end. It logs why unless that is "".
func (i *instance) kill(why string) {
	i.memory.sample()
	if why != "" {
		i.pool.host.config.Logger.Warn("ended a function's process", "function", i.pool.function.Name, "why", why)
	}
	// Stop with SIGKILL can only fail for a process that is not ours.
	if err := i.process.Stop(context.Background(), syscall.SIGKILL, outputTimeout); err != nil {
		i.pool.host.config.Logger.Error("could not end a function's process", "function", i.pool.function.Name, "error", err)
	}
}

func (i *instance) hasEnded() bool { return i.process.State() != nil }

// stopAfter calls end after the instance has been idle for that long.
func (i *instance) stopAfter(after time.Duration, end func()) {
	i.idleTimer = time.AfterFunc(after, end)
}

// assign makes inv the instance's current invocation.
func (i *instance) assign(inv *invocation) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.current, inv.taken = inv, time.Now()
}

// responseSink returns the sink for the response of the invocation with that id, or nil.
func (i *instance) responseSink(id string) *responseSink {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.current == nil || i.current.id != id {
		return nil
	}
	return i.current.sink
}

// finish returns the invocation with that id if it is the current one, and only once.
func (i *instance) finish(id string) *invocation {
	i.mu.Lock()
	defer i.mu.Unlock()
	inv := i.current
	if inv == nil || inv.id != id {
		return nil
	}
	i.current = nil
	return inv
}

func (i *instance) failInit(document []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.initError = document
}
