// Package render prints what a command found: as a table for people, as text with tabs for
// programs, as JSON or by a program of the caller's own.
package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"
)

// Format is how the caller wants the output.
type Format struct {
	Fields   []string // of JSON; "all" stands for every one; none prints a table
	JQ       string   // a jq program over the JSON
	Template string   // a Go template over the JSON
}

// JSON reports whether the caller wants anything but a table.
func (f *Format) JSON() bool { return len(f.Fields) > 0 || f.JQ != "" || f.Template != "" }

// Write prints a value: a struct as the API has it, or a slice of them.
func (f *Format) Write(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var data any
	if err := json.Unmarshal(text, &data); err != nil {
		return err
	}
	if data, err = f.pick(data, fieldsOf(reflect.TypeOf(value))); err != nil {
		return err
	}
	switch {
	case f.JQ != "":
		return f.query(w, data)
	case f.Template != "":
		return f.fill(w, data)
	default:
		return indented(w, data)
	}
}

// pick keeps the fields that the caller names, null where an object lacks one.
func (f *Format) pick(data any, known []string) (any, error) {
	if len(f.Fields) == 0 || slices.Contains(f.Fields, "all") {
		return data, nil
	}
	for _, name := range f.Fields {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no field %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	if list, ok := data.([]any); ok {
		for i := range list {
			list[i] = picked(list[i], f.Fields)
		}
		return list, nil
	}
	return picked(data, f.Fields), nil
}

func picked(data any, fields []string) map[string]any {
	object, _ := data.(map[string]any)
	out := make(map[string]any, len(fields))
	for _, name := range fields {
		out[name] = object[name]
	}
	return out
}

// fieldsOf are the names of a struct's fields in JSON; of the entries of a list.
func fieldsOf(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func indented(w io.Writer, data any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(data)
}

// query prints what a jq program makes of the data: texts as they are, all else as JSON.
func (f *Format) query(w io.Writer, data any) error {
	program, err := gojq.Parse(f.JQ)
	if err != nil {
		return fmt.Errorf("--jq: %w", err)
	}
	for results := program.Run(data); ; {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			return fmt.Errorf("--jq: %w", err)
		}
		if err := printed(w, result); err != nil {
			return err
		}
	}
}

func printed(w io.Writer, value any) error {
	if text, ok := value.(string); ok {
		_, err := fmt.Fprintln(w, text)
		return err
	}
	text, err := gojq.Marshal(value)
	if err == nil {
		_, err = fmt.Fprintln(w, string(text))
	}
	return err
}

func (f *Format) fill(w io.Writer, data any) error {
	t, err := template.New("").Funcs(template.FuncMap{"join": strings.Join}).Parse(f.Template)
	if err != nil {
		return fmt.Errorf("--template: %w", err)
	}
	if err := t.Execute(w, data); err != nil {
		return fmt.Errorf("--template: %w", err)
	}
	return nil
}
