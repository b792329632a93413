package interp

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/intrinsic"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// maxWait is the longest wait until a time in the data: AWS counts the
// seconds' milliseconds in 31 bits of thousands, which is 24,855 days.
const maxWait = 24855 * 24 * time.Hour

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
	input, err := t.selected(state.Input, t.value)
	if err != nil {
		return hop{}, err
	}
	switch a := state.Action.(type) {
	case *asl.Pass:
		return t.pass(state, a, input)
	case *asl.Choice:
		return t.choose(state, a, input)
	case *asl.Wait:
		return t.wait(state, a, input)
	case *asl.Succeed:
		return t.exit(state, input, "")
	case *asl.Fail:
		return t.failState(a, input)
	}
	return hop{}, fmt.Errorf("the state type '%s' is not supported", state.Action.Type())
}

func (t *Turn) pass(state *asl.State, p *asl.Pass, input any) (hop, error) {
	result := input
	if p.Parameters != nil {
		var err error
		if result, err = p.Parameters.Eval(t.scope(input)); err != nil {
			return hop{}, err
		}
	}
	if p.HasResult {
		result = p.Result
	}
	output, err := place(p.Place, t.value, result)
	if err != nil {
		return hop{}, err
	}
	return t.exit(state, output, state.Next)
}

func (t *Turn) choose(state *asl.State, c *asl.Choice, input any) (hop, error) {
	scope := t.scope(input)
	for _, branch := range c.Rules {
		matched, err := branch.Rule(scope)
		if err != nil {
			return hop{}, err
		}
		if matched {
			return t.exit(state, input, branch.Next)
		}
	}
	if c.Default == "" {
		return hop{}, &stateError{asl.ErrNoChoiceMatched, fmt.Sprintf(
			"An error occurred while executing the state '%s' (entered at the event id #%d). No Choice Rule matched and there is no Default.",
			state.Name, t.x.Visit.Event)}
	}
	return t.exit(state, input, c.Default)
}

func (t *Turn) wait(state *asl.State, w *asl.Wait, input any) (hop, error) {
	until, err := t.waitUntil(w, input)
	if err != nil {
		return hop{}, err
	}
	if until.Sub(t.env.Now) > maxWait {
		return hop{}, inWords("Wait state delay is too long.")
	}
	if until.After(t.env.Now) {
		t.x.Visit.Wake = until
		return hop{}, nil
	}
	return t.exit(state, input, state.Next)
}

func (t *Turn) waitUntil(w *asl.Wait, input any) (time.Time, error) {
	switch {
	case !w.Timestamp.IsZero():
		return w.Timestamp, nil
	case w.TimestampPath != nil:
		value, err := w.TimestampPath.Get(t.scope(input))
		if err != nil {
			return time.Time{}, err
		}
		text, _ := value.(string)
		until, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return time.Time{}, inWords("The TimestampPath parameter does not reference a valid ISO-8601 extended offset date-time format string: %s == %v", w.TimestampPath, value)
		}
		return until, nil
	}
	seconds, err := t.seconds(w.Seconds, "SecondsPath", input)
	return t.env.Now.Add(time.Duration(seconds) * time.Second), err
}

// seconds reads a duration that may stand in the data.
func (t *Turn) seconds(s asl.Seconds, field string, input any) (int64, error) {
	if s.Path == nil {
		return s.Value, nil
	}
	value, err := s.Path.Get(t.scope(input))
	if err != nil {
		return 0, err
	}
	number, _ := value.(json.Number)
	n, err := number.Int64()
	switch {
	case err != nil:
		return 0, inWords("The %s parameter cannot be parsed as a long value: %s == %v", field, s.Path, value)
	case n < 0:
		return 0, inWords("The %s parameter references a negative value: %s == %d", field, s.Path, n)
	}
	return n, nil
}

func (t *Turn) failState(f *asl.Fail, input any) (hop, error) {
	failure := Failure{Error: f.Error, Cause: f.Cause}
	var err error
	if f.ErrorPath != nil {
		if failure.Error, err = t.failText("ErrorPath", f.ErrorPath, input); err != nil {
			return hop{}, err
		}
	}
	if f.CausePath != nil {
		if failure.Cause, err = t.failText("CausePath", f.CausePath, input); err != nil {
			return hop{}, err
		}
	}
	return t.fail(failure), nil
}

func (t *Turn) failText(field string, e intrinsic.Expression, input any) (*string, error) {
	value, err := asl.EvalField(field, e, t.scope(input))
	if err != nil {
		return nil, err
	}
	text, ok := value.(string)
	if !ok {
		return nil, inWords("The %s field must refer to a string: %s", field, e)
	}
	return &text, nil
}

// endWait leaves a Wait whose time has come.
func (t *Turn) endWait(state *asl.State, value any) hop {
	input, err := t.selected(state.Input, value)
	if err != nil {
		return t.fail(t.failureOf(err))
	}
	next, err := t.exit(state, input, state.Next)
	if err != nil {
		return t.fail(t.failureOf(err))
	}
	return next
}

// exit applies OutputPath, records the exit and goes on; to "" is the end.
func (t *Turn) exit(state *asl.State, output any, to string) (hop, error) {
	output, err := t.selected(state.Output, output)
	if err != nil {
		return hop{}, err
	}
	return t.transit(state, output, to)
}

// transit leaves a state with its final output.
func (t *Turn) transit(state *asl.State, output any, to string) (hop, error) {
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
	if to == "" {
		return t.succeed(text), nil
	}
	return hop{state: to, text: text, value: output}, nil
}
