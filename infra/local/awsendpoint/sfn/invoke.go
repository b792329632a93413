package sfn

import (
	"errors"
	"strings"
	"sync"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// invoke runs a function and lets its execution go on with the response.
func (s *Service) invoke(key string, i *interp.Invocation) {
	if i == nil {
		return
	}
	s.flights.launch(key, func() {
		output, functionError, err := s.invoker.Invoke(s.ctx, i.Function, i.Payload)
		if err != nil && s.ctx.Err() != nil {
			return // given up by Close; Resume invokes it again
		}
		reply := interp.Reply{Payload: output, FunctionError: functionError}
		if err != nil {
			reply = refusal(err)
		}
		err = s.turn(key, func(t *interp.Turn, _ *interp.Execution) error { return t.Reply(i.Attempt, reply) })
		if err != nil && !errors.Is(err, errNoExecution) {
			s.log.Error("record a function's response", "execution", key, "function", i.Function, "error", err)
		}
	})
}

// refusal words an invocation that Lambda did not make.
func refusal(err error) interp.Reply {
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

// flights are the invocations under way. None begins once they are closed.
type flights struct {
	mu     sync.Mutex
	closed bool
	flying map[string]int // by execution
	all    sync.WaitGroup
}

func newFlights() *flights { return &flights{flying: map[string]int{}} }

// launch runs an invocation of an execution in a goroutine of its own.
func (f *flights) launch(key string, invocation func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.flying[key]++
	f.all.Go(func() {
		defer f.land(key)
		invocation()
	})
}

func (f *flights) land(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.flying[key]--; f.flying[key] == 0 {
		delete(f.flying, key)
	}
}

func (f *flights) has(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flying[key] > 0
}

// close waits for the invocations under way.
func (f *flights) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.all.Wait()
}
