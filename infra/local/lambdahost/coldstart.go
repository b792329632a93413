package lambdahost

import (
	"context"
	"fmt"
	"time"
)

// ColdStart is what the first invocation of a new process took.
type ColdStart struct {
	// Ready is how long the process took from its start until it asked for its first
	// invocation: what the program does by itself.
	Ready time.Duration
	// First is how long it took from its start until it had answered that invocation: with the
	// connections that it makes when it needs them.
	FirstResponse time.Duration
	// Second is how long the same invocation took once more, in the process as it then was.
	SecondInvocation time.Duration
	// CPU is the processor time of the process from its start to its end, which comes after these two.
	CPU time.Duration
	// Answer is that to the first invocation.
	Response []byte
}

// ColdStart starts a process of a function, which nobody else's invocations get, has it
// answer the payload twice, and ends it. A function that answers with an error has answered:
// it has read what it had to.
func (h *Host) ColdStart(ctx context.Context, function string, payload []byte) (ColdStart, error) {
	p, err := h.findPool(function)
	if err != nil {
		return ColdStart{}, err
	}
	if !h.track() {
		return ColdStart{}, errStopping()
	}
	defer h.running.Done()
	began := time.Now()
	i, err := startInstance(p)
	if err != nil {
		return ColdStart{}, err
	}
	defer i.kill("")
	var c ColdStart
	first := newInvocation(p.function, payload, nil)
	if c.Response, err = i.probe(ctx, first); err != nil {
		return ColdStart{}, err
	}
	c.Ready, c.FirstResponse = first.taken.Sub(began), time.Since(began)
	second := newInvocation(p.function, payload, nil)
	if _, err := i.probe(ctx, second); err != nil {
		return ColdStart{}, err
	}
	c.SecondInvocation = time.Since(second.startedAt)
	i.kill("")
	if ended := i.process.State(); ended != nil {
		c.CPU = ended.UserTime() + ended.SystemTime()
	}
	return c, nil
}

// probe has the process answer, and fails if it did not.
func (i *instance) probe(ctx context.Context, inv *invocation) ([]byte, error) {
	answered, _ := i.serve(inv)
	if answered.kind != "" && answered.kind != "error" {
		return nil, fmt.Errorf("%s did not answer: %s", i.pool.function.Name, answered.output)
	}
	return answered.output, ctx.Err()
}
