package interp

import (
	"fmt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/intrinsic"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// enter visits a state and does its work, as far as it can be done at once.
func (t *Turn) enter(h hop) hop {
	state := t.machine.States[h.state]
	previous := t.x.LastEvent
	if t.x.Visit == nil {
		previous = 0 // AWS ties the first state to no event
	}
	id := t.emitAfter(previous, history.Entered(state.Action.Type()), history.Details{
		StateEntered: &history.StateEntered{Name: h.state, Input: history.In(string(h.text))},
	})
	t.x.Visit = &Visit{State: h.state, Entered: t.env.Now, Event: id, Input: h.text}
	t.value = h.value
	if t.full() {
		return t.fail(NewFailure(asl.ErrRuntime, fmt.Sprintf("The execution reached the maximum number of history events (%d).", history.MaxEvents)))
	}
	if task, ok := state.Action.(*asl.Task); ok {
		return t.schedule(state, task)
	}
	next, err := t.act(state)
	if err != nil {
		return t.fail(t.failureOf(err))
	}
	return next
}

// act does the work of a state that calls nobody.
func (t *Turn) act(state *asl.State) (hop, error) {
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
	return hop{}, fmt.Errorf("the state type '%s' is not supported", state.Action.Type())
}

func (t *Turn) pass(state *asl.State, p *asl.Pass) (hop, error) {
	result := t.value
	if p.Parameters != nil {
		var err error
		if result, err = p.Parameters.Eval(t.scope(t.value)); err != nil {
			return hop{}, err
		}
	}
	output, err := place(p.Result, t.value, result)
	if err != nil {
		return hop{}, err
	}
	return t.exit(state, output, state.Next)
}

func (t *Turn) choose(state *asl.State, c *asl.Choice) (hop, error) {
	for _, rule := range c.Rules {
		value, err := rule.Variable.Get(t.scope(t.value))
		if err != nil {
			return hop{}, inWords("Invalid path '%s': The choice state's condition path references an invalid value.", rule.Variable)
		}
		if value == rule.Equals {
			return t.exit(state, t.value, rule.Next)
		}
	}
	if c.Default == "" {
		return hop{}, &stateError{asl.ErrNoChoiceMatched, fmt.Sprintf(
			"An error occurred while executing the state '%s' (entered at the event id #%d). No Choice Rule matched and there is no Default.",
			state.Name, t.x.Visit.Event)}
	}
	return t.exit(state, t.value, c.Default)
}

func (t *Turn) failState(f *asl.Fail) (hop, error) {
	failure := Failure{Error: f.Error, Cause: f.Cause}
	var err error
	if f.ErrorPath != nil {
		if failure.Error, err = t.failText("ErrorPath", f.ErrorPath); err != nil {
			return hop{}, err
		}
	}
	if f.CausePath != nil {
		if failure.Cause, err = t.failText("CausePath", f.CausePath); err != nil {
			return hop{}, err
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
		return nil, inWords("The %s field must refer to a string: %s", field, e)
	}
	return &text, nil
}

// exit leaves a state with its output and goes on; to "" is the end.
func (t *Turn) exit(state *asl.State, output any, next string) (hop, error) {
	text, err := jsonpath.Encode(output)
	if err != nil {
		return hop{}, err
	}
	if len(text) > MaxData {
		return hop{}, tooLarge(state.Name)
	}
	t.emit(history.Exited(state.Action.Type()), history.Details{
		StateExited: &history.StateExited{Name: state.Name, Output: history.Out(string(text))},
	})
	if next == "" {
		return t.succeed(text), nil
	}
	return hop{state: next, text: text, value: output}, nil
}
