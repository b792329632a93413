package asl

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/intrinsic"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// Template is a Payload Template: JSON in which a field "name.$" contains a path or an intrinsic
// call and is replaced with the field "name" and its value.
type Template struct{ root node }

// node evaluates one part of a template.
type node func(scope jsonpath.Scope) (any, error)

// FieldError reports a field with a path that does not exist in the input.
type FieldError struct {
	Field string // as in the definition, such as "jobId.$"
	Path  string
	Input string // the state's input as JSON
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("The JSONPath '%s' specified for the field '%s' could not be found in the input '%s'", e.Path, e.Field, e.Input)
}

// Eval evaluates the template.
func (t *Template) Eval(scope jsonpath.Scope) (any, error) { return t.root(scope) }

// EvalField evaluates the expression of a field; a path that does not exist returns a *FieldError.
func EvalField(field string, e intrinsic.Expression, scope jsonpath.Scope) (any, error) {
	value, err := e.Eval(scope)
	var missing *jsonpath.MissingError
	if !errors.As(err, &missing) {
		return value, err
	}
	input, encodeErr := jsonpath.Encode(scope.Input)
	if encodeErr != nil {
		return nil, encodeErr
	}
	return nil, &FieldError{Field: field, Path: missing.Path, Input: string(input)}
}

// newTemplate compiles a template and returns all of its errors.
func newTemplate(text json.RawMessage) (*Template, []string) {
	value, err := jsonpath.Decode(text)
	if err != nil {
		return nil, []string{err.Error()}
	}
	c := compiler{}
	t := &Template{root: c.compile(value)}
	slices.Sort(c.errs)
	return t, c.errs
}

type compiler struct{ errs []string }

func (c *compiler) compile(value any) node {
	switch v := value.(type) {
	case map[string]any:
		return c.object(v)
	case []any:
		return c.list(v)
	}
	return func(jsonpath.Scope) (any, error) { return value, nil }
}

func (c *compiler) object(object map[string]any) node {
	members := make(map[string]node, len(object))
	for name, value := range object {
		bare, dynamic := strings.CutSuffix(name, ".$")
		if _, twice := object[bare]; dynamic && twice {
			c.errs = append(c.errs, fmt.Sprintf("The fields '%s' and '%s' exclude each other", bare, name))
		}
		if dynamic {
			members[bare] = c.field(name, value)
		} else {
			members[name] = c.compile(value)
		}
	}
	return func(scope jsonpath.Scope) (any, error) {
		filled := make(map[string]any, len(members))
		for name, member := range members {
			value, err := member(scope)
			if err != nil {
				return nil, err
			}
			filled[name] = value
		}
		return filled, nil
	}
}

func (c *compiler) list(list []any) node {
	elements := make([]node, len(list))
	for i, value := range list {
		elements[i] = c.compile(value)
	}
	return func(scope jsonpath.Scope) (any, error) {
		filled := make([]any, len(elements))
		for i, element := range elements {
			value, err := element(scope)
			if err != nil {
				return nil, err
			}
			filled[i] = value
		}
		return filled, nil
	}
}

func (c *compiler) field(name string, value any) node {
	text, ok := value.(string)
	if !ok {
		c.errs = append(c.errs, fmt.Sprintf("The value for the field '%s' must be a string", name))
		return nil
	}
	e, err := intrinsic.Parse(text)
	if err != nil {
		c.errs = append(c.errs, fmt.Sprintf("The value for the field '%s' must be a valid JSONPath or a valid intrinsic function call: %v", name, err))
		return nil
	}
	return func(scope jsonpath.Scope) (any, error) { return EvalField(name, e, scope) }
}
