package lambdahost

import (
	"context"
	"fmt"
	"time"
)

// ColdStart contains the measurements of a new process and its first invocations.
type ColdStart struct {
	// Ready is the time from the start of the process until it requested its first
	// invocation: the program's own initialisation.
	Ready time.Duration
	// FirstResponse is the time from the start of the process until it had answered that
	// invocation, including connections that it opens on demand.
	FirstResponse time.Duration
	// SecondInvocation is the duration of the same invocation when repeated in the warm process.
	SecondInvocation time.Duration
	// CPU is the processor time of the process from its start to its end, which follows these
	// two invocations.
	CPU time.Duration
	// Response is the response to the first invocation.
	Response []byte
}

// ColdStart starts a process of a function that receives no other invocations, invokes it
// twice with the payload, and ends it. A function error counts as a response: the function
// has done its initialisation.
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

// probe invokes the process and returns its response, or an error if there is none.
func (i *instance) probe(ctx context.Context, inv *invocation) ([]byte, error) {
	answered, _ := i.serve(inv)
	if answered.kind != "" && answered.kind != "error" {
		return nil, fmt.Errorf("%s did not respond: %s", i.pool.function.Name, answered.output)
	}
	return answered.output, ctx.Err()
}
