package lambdahost

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// pool holds the instances of one function.
type pool struct {
	host     *Host
	function Function
	slots    chan struct{} // one for every running invocation
	stats    statsCollector

	mu   sync.Mutex
	idle []*instance // the most recently used one is reused first, so that others can expire
}

func newPool(h *Host, f Function) *pool {
	return &pool{host: h, function: f, slots: make(chan struct{}, f.Concurrency)}
}

func (p *pool) invoke(ctx context.Context, payload []byte, wait bool) ([]byte, string, error) {
	inv, err := p.startInvocation(ctx, payload, wait, nil)
	if err != nil {
		return nil, "", err
	}
	select {
	case <-inv.done:
		return inv.outcome.output, inv.outcome.functionError(), nil
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
}

// startInvocation starts an invocation, which ends by itself. stream receives its response
// as it is written, or is nil.
func (p *pool) startInvocation(ctx context.Context, payload []byte, wait bool, stream *responseSink) (*invocation, error) {
	if len(payload) > MaxPayload {
		return nil, awsjson.Errorf("RequestTooLargeException",
			"Request must be smaller than %d bytes for the InvokeFunction operation", MaxPayload)
	}
	// Tracked before it has a slot: Close waits for everything that is visibly busy.
	if !p.host.track() {
		return nil, errStopping()
	}
	if err := p.acquire(ctx, wait); err != nil {
		p.host.running.Done()
		return nil, err
	}
	inv := newInvocation(p.function, payload, stream)
	go func() {
		defer p.host.running.Done()
		defer close(inv.done)
		defer func() { <-p.slots }()
		inv.outcome = p.runOnInstance(inv)
		p.stats.count(inv)
		if stream != nil {
			stream.closeBody(inv.outcome)
		}
	}()
	return inv, nil
}

// acquire acquires a slot.
func (p *pool) acquire(ctx context.Context, wait bool) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	if !wait {
		p.stats.countThrottle()
		return awsjson.Errorf("TooManyRequestsException", "Rate Exceeded.")
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.host.stopping:
		return errStopping()
	}
}

func errStopping() error {
	return awsjson.Errorf("ServiceException", "the local stack is stopping")
}

// runOnInstance passes the invocation to an instance. If that instance ended since it was
// last used, it has not seen the invocation and another one is used.
func (p *pool) runOnInstance(inv *invocation) outcome {
	for {
		i, reused, err := p.takeInstance()
		if errors.Is(err, errClosed) {
			return exitFailure(inv, err.Error())
		}
		if err != nil {
			return entrypointFailure(inv, err)
		}
		a, seen := i.serve(inv)
		if !seen && reused {
			continue
		}
		p.recordMemory(i)
		if i.hasEnded() {
			return a
		}
		p.release(i)
		return a
	}
}

// recordMemory records how much memory the process has used, and logs if AWS would have
// killed it for that.
func (p *pool) recordMemory(i *instance) {
	i.memory.sample()
	peak := i.memory.peak()
	if before := p.stats.recordPeak(peak); peak>>20 > int64(p.function.Memory) && peak > before {
		p.host.config.Logger.Warn("function exceeded its memory limit on AWS",
			"function", p.function.Name, "usedMiB", peak>>20, "memoryMiB", p.function.Memory)
	}
}

// takeInstance returns an idle instance or starts one.
func (p *pool) takeInstance() (i *instance, reused bool, err error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		i, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	p.mu.Unlock()
	if i != nil {
		i.idleTimer.Stop()
		return i, true, nil
	}
	i, err = startInstance(p)
	if err == nil {
		p.stats.countColdStart()
	}
	return i, false, err
}

// release makes an instance available until its idle timeout.
func (p *pool) release(i *instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, i)
	i.stopAfter(p.host.config.IdleTimeout, func() {
		if p.removeIdle(i) {
			i.kill("")
		}
	})
}

// removeIdle removes the instance from the idle ones and reports whether it was idle.
func (p *pool) removeIdle(i *instance) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	index := slices.Index(p.idle, i)
	if index < 0 {
		return false
	}
	p.idle = slices.Delete(p.idle, index, index+1)
	return true
}
