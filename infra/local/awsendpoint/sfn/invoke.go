package sfn

import (
	"errors"
	"strings"
	"sync"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// invoke runs a function and continues its execution with the response.
func (s *Service) invoke(key string, i *interp.Invocation) {
	if i == nil {
		return
	}
	s.invocations.start(key, func() {
		output, functionError, err := s.invoker.Invoke(s.ctx, i.Function, i.Payload)
		if err != nil && s.ctx.Err() != nil {
			return // cancelled by Close; Resume invokes it again
		}
		reply := interp.Reply{Payload: output, FunctionError: functionError}
		if err != nil {
			reply = invocationRefusal(err)
		}
		err = s.advance(key, func(t *interp.Turn, _ *interp.Execution) error { return t.Reply(i.Attempt, reply) })
		if err != nil && !errors.Is(err, errExecutionNotFound) {
			s.log.Error("record a function's response", "execution", key, "function", i.Function, "error", err)
		}
	})
}

// invocationRefusal returns the reply for an invocation that Lambda rejected.
func invocationRefusal(err error) interp.Reply {
	var e *awsjson.Error
	if !errors.As(err, &e) {
		return interp.Reply{Refused: "SdkClientException", Reason: err.Error()}
	}
	code := e.Code
	if _, bare, ok := strings.Cut(code, "#"); ok {
		code = bare
	}
	return interp.Reply{Refused: code, Reason: e.Message}
}

// invocationSet holds the running invocations. None starts after close.
type invocationSet struct {
	mu      sync.Mutex
	closed  bool
	running map[string]int // by execution
	wait    sync.WaitGroup
}

func newInvocationSet() *invocationSet { return &invocationSet{running: map[string]int{}} }

// start runs an invocation of an execution in its own goroutine.
func (f *invocationSet) start(key string, invocation func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.running[key]++
	f.wait.Go(func() {
		defer f.finish(key)
		invocation()
	})
}

func (f *invocationSet) finish(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[key]--; f.running[key] == 0 {
		delete(f.running, key)
	}
}

func (f *invocationSet) has(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running[key] > 0
}

// close waits for the running invocations.
func (f *invocationSet) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.wait.Wait()
}
