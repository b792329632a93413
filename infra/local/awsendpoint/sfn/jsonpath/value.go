// Package jsonpath evaluates the paths of the Amazon States Language that name
// one place: "$.a.b" in a state's data, "$$.Execution.Id" in the context object.
// Indices, wildcards, slices and filters are refused.
// Facts: https://states-language.net/spec.html#path
package jsonpath

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Decode reads one JSON value into map[string]any, []any, string, bool, nil
// and json.Number, which keeps every number as it was written.
func Decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("no JSON value")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return value, nil
}

// Encode writes a value as compact JSON, members in the order of their names,
// and leaves <, > and & as they are.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Scope is what paths are looked up in.
type Scope struct {
	// Input is the value that "$" stands for.
	Input any
	// Context builds the context object, "$$". It is called only when needed.
	Context func() any
}
