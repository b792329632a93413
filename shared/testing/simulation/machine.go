package simulation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/infra/statemachine"
)

// machine is the deployed state machine, limited to the language features that it uses: tasks
// that call functions, some of which wait for a token, and choices.
type machine struct {
	StartAt string
	States  map[string]state
}

type state struct {
	Type       string
	Resource   string
	Parameters struct {
		FunctionName string
		Payload      map[string]any
	}
	ResultPath *string
	Next       string
	Default    string
	Choices    []struct{ Variable, StringEquals, Next string }
	Catch      []struct{ Next string }
}

func readMachine() (*machine, error) {
	m := &machine{}
	if err := json.Unmarshal([]byte(statemachine.Import), m); err != nil {
		return nil, fmt.Errorf("state machine: %w", err)
	}
	return m, nil
}

// function returns the name of the function that a task calls.
func (s *state) function() string { return strings.Trim(s.Parameters.FunctionName, "${}") }

// waits reports whether a task waits for a token.
func (s *state) waits() bool { return strings.HasSuffix(s.Resource, ".waitForTaskToken") }

// execution is one run of the machine.
type execution struct {
	machine  *machine
	state    string // current state; "" before the start
	status   string
	choices  map[string]string // results of tasks in the document: "next" by path
	taskErr  taskError
	token    string // the pending token
	tokens   int
	invoked  bool // the state's function is running
	attempts int
}

// taskError is the error of a failed task.
type taskError struct{ code, message string }

const (
	running   = "RUNNING"
	succeeded = "SUCCEEDED"
	failed    = "FAILED"
	aborted   = "ABORTED"
)

func (e *execution) start() {
	if e.status == "" {
		e.status, e.choices = running, make(map[string]string)
		e.enter(e.machine.StartAt)
	}
}

// enter enters a state, and passes through states that are not tasks.
func (e *execution) enter(name string) {
	e.state, e.token, e.invoked, e.attempts = name, "", false, 0
	s := e.machine.States[name]
	switch s.Type {
	case "Choice":
		next := s.Default
		for _, c := range s.Choices {
			if e.choices[strings.TrimSuffix(c.Variable, ".next")] == c.StringEquals {
				next = c.Next
				break
			}
		}
		e.enter(next)
	case "Succeed":
		e.status = succeeded
	case "Fail":
		e.status = failed
	}
}

func (e *execution) current() state { return e.machine.States[e.state] }

// complete completes the state's task with its result.
func (e *execution) complete(next string) {
	s := e.current()
	if s.ResultPath != nil {
		e.choices[*s.ResultPath] = next
	}
	e.enter(s.Next)
}

// catch fails the state's task with an error.
func (e *execution) catch(f taskError) {
	if s := e.current(); len(s.Catch) > 0 {
		e.taskErr = f
		e.enter(s.Catch[0].Next)
		return
	}
	e.invoked = false
}
