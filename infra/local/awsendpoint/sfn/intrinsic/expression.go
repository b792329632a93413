// Package intrinsic reads and evaluates what may stand in a field whose name
// ends in ".$": a path, or a call of an intrinsic function such as
// States.Format('{} of {}', $.done, States.ArrayLength($.all)).
// Facts: https://states-language.net/spec.html#appendix-b
package intrinsic

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// Expression is a parsed path, literal or call.
type Expression interface {
	// Eval returns the value: a *jsonpath.MissingError where a path leads
	// nowhere, an *Error where a function cannot do its work.
	Eval(scope jsonpath.Scope) (any, error)
	// String returns the expression as it was written.
	String() string
}

// Error says that a function could not do its work. It is what fails a state
// with States.IntrinsicFailure.
type Error struct {
	Call   string // as written in the definition
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("The function '%s' had the following error: %s", e.Call, e.Reason)
}

// Parse reads a path ("$…", "$$…") or a call of a known function.
func Parse(text string) (Expression, error) {
	if strings.HasPrefix(text, "$") {
		p, err := jsonpath.Parse(text)
		if err != nil {
			return nil, err
		}
		return path{p}, nil
	}
	p := parser{text: text}
	call, err := p.call()
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(text) {
		return nil, p.fault("nothing may follow the closing parenthesis")
	}
	return call, nil
}

type path struct{ jsonpath.Path }

func (p path) Eval(scope jsonpath.Scope) (any, error) { return p.Get(scope) }

// literal is a constant argument. A quoted string keeps its escapes in raw,
// as States.Format tells \{ from {.
type literal struct {
	raw   string
	value any
}

func (l literal) Eval(jsonpath.Scope) (any, error) { return l.value, nil }
func (l literal) String() string                   { return l.raw }

type call struct {
	text     string
	function function
	args     []Expression
}

func (c call) String() string { return c.text }

func (c call) Eval(scope jsonpath.Scope) (any, error) {
	values := make([]any, len(c.args))
	for i, arg := range c.args {
		value, err := arg.Eval(scope)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	if c.function.template {
		values[0] = template(c.args[0], values[0])
	}
	result, err := c.function.apply(values)
	if err != nil {
		return nil, &Error{Call: c.text, Reason: err.Error()}
	}
	return result, nil
}

// template returns the first argument of States.Format with its escapes still
// in it.
func template(arg Expression, value any) any {
	if l, ok := arg.(literal); ok && strings.HasPrefix(l.raw, "'") {
		return l.raw[1 : len(l.raw)-1]
	}
	return value
}
