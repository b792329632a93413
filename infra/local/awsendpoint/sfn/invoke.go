package sfn

import (
	"errors"
	"strings"
	"sync"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// invoke runs a function and lets its execution go on with the answer.
func (s *Service) invoke(key string, i *interp.Invocation) {
	if i == nil || !s.flights.begin(key) {
		return
	}
	s.work.Go(func() {
		output, functionError, err := s.invoker.Invoke(s.ctx, i.Function, i.Payload)
		s.flights.end(key)
		if err != nil && s.ctx.Err() != nil {
			return // given up by Close; Resume invokes it again
		}
		reply := interp.Reply{Payload: output, FunctionError: functionError}
		if err != nil {
			reply = refusal(err)
		}
		err = s.turn(key, func(t *interp.Turn, _ *interp.Execution) error { return t.Reply(i.Attempt, reply) })
		if err != nil && !errors.Is(err, errNoExecution) {
			s.log.Error("record a function's answer", "execution", key, "function", i.Function, "error", err)
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

// flights counts the invocations under way of each execution, and lets none
// begin once it is closed.
type flights struct {
	mu     sync.Mutex
	closed bool
	flying map[string]int
}

func newFlights() *flights { return &flights{flying: map[string]int{}} }

func (f *flights) begin(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.flying[key]++
	}
	return !f.closed
}

func (f *flights) end(key string) {
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

func (f *flights) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}
