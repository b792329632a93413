package interp

import (
	"fmt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/intrinsic"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// enter enters a state and does its work as far as possible without waiting.
func (t *Turn) enter(h transition) transition {
	state := t.machine.States[h.state]
	previous := t.execution.LastEvent
	if t.execution.Visit == nil {
		previous = 0 // on AWS the first state refers to no previous event
	}
	id := t.emitAfter(previous, history.EnteredType(state.Action.Type()), history.Details{
		StateEntered: &history.StateEntered{Name: h.state, Input: history.NewInput(string(h.text))},
	})
	t.execution.Visit = &Visit{State: h.state, Entered: t.env.Now, Event: id, Input: h.text}
	t.value = h.value
	if t.historyFull() {
		return t.fail(newFailure(asl.ErrRuntime, fmt.Sprintf("The execution reached the maximum number of history events (%d).", history.MaxEvents)))
	}
	if task, ok := state.Action.(*asl.Task); ok {
		return t.schedule(state, task)
	}
	next, err := t.runState(state)
	if err != nil {
		return t.fail(t.failureOf(err))
	}
	return next
}

// runState does the work of a state other than a Task.
func (t *Turn) runState(state *asl.State) (transition, error) {
	switch a := state.Action.(type) {
	case *asl.Pass:
		return t.pass(state, a)
	case *asl.Choice:
		return t.choose(state, a)
	case *asl.Succeed:
		return t.exit(state, t.value, "")
	case *asl.Fail:
		return t.failState(a)
	}
	return transition{}, fmt.Errorf("the state type '%s' is not supported", state.Action.Type())
}

func (t *Turn) pass(state *asl.State, p *asl.Pass) (transition, error) {
	result := t.value
	if p.Parameters != nil {
		var err error
		if result, err = p.Parameters.Eval(t.scope(t.value)); err != nil {
			return transition{}, err
		}
	}
	output, err := applyResultPath(p.Result, t.value, result)
	if err != nil {
		return transition{}, err
	}
	return t.exit(state, output, state.Next)
}

func (t *Turn) choose(state *asl.State, c *asl.Choice) (transition, error) {
	for _, rule := range c.Rules {
		value, err := rule.Variable.Get(t.scope(t.value))
		if err != nil {
			return transition{}, awsErrorf("Invalid path '%s': The choice state's condition path references an invalid value.", rule.Variable)
		}
		if value == rule.Equals {
			return t.exit(state, t.value, rule.Next)
		}
	}
	if c.Default == "" {
		return transition{}, &stateError{asl.ErrNoChoiceMatched, fmt.Sprintf(
			"An error occurred while executing the state '%s' (entered at the event id #%d). No Choice Rule matched and there is no Default.",
			state.Name, t.execution.Visit.Event)}
	}
	return t.exit(state, t.value, c.Default)
}

func (t *Turn) failState(f *asl.Fail) (transition, error) {
	failure := Failure{Error: f.Error, Cause: f.Cause}
	var err error
	if f.ErrorPath != nil {
		if failure.Error, err = t.failText("ErrorPath", f.ErrorPath); err != nil {
			return transition{}, err
		}
	}
	if f.CausePath != nil {
		if failure.Cause, err = t.failText("CausePath", f.CausePath); err != nil {
			return transition{}, err
		}
	}
	return t.fail(failure), nil
}

func (t *Turn) failText(field string, e intrinsic.Expression) (*string, error) {
	value, err := asl.EvalField(field, e, t.scope(t.value))
	if err != nil {
		return nil, err
	}
	text, ok := value.(string)
	if !ok {
		return nil, awsErrorf("The %s field must refer to a string: %s", field, e)
	}
	return &text, nil
}

// exit leaves a state with its output for the next one; "" ends the execution.
func (t *Turn) exit(state *asl.State, output any, next string) (transition, error) {
	text, err := jsonpath.Encode(output)
	if err != nil {
		return transition{}, err
	}
	if len(text) > MaxData {
		return transition{}, dataLimitExceeded(state.Name)
	}
	t.emit(history.ExitedType(state.Action.Type()), history.Details{
		StateExited: &history.StateExited{Name: state.Name, Output: history.NewOutput(string(text))},
	})
	if next == "" {
		return t.succeed(text), nil
	}
	return transition{state: next, text: text, value: output}, nil
}
