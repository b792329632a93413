// Package jsonpath evaluates the paths of the Amazon States Language that address
// one place: "$.a.b" in a state's data, "$$.Execution.Id" in the context object.
// Indices, wildcards, slices and filters are rejected.
// Source: https://states-language.net/spec.html#path
package jsonpath

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Decode decodes one JSON value into map[string]any, []any, string, bool, nil
// and json.Number, which preserves numbers as written.
func Decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("not a JSON value")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return value, nil
}

// Encode encodes a value as compact JSON with members sorted by name. It does not
// escape <, > and &.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Scope holds the data in which paths are evaluated.
type Scope struct {
	// Input is the value of "$".
	Input any
	// Context builds the context object, "$$". It is called only when needed.
	Context func() any
}
