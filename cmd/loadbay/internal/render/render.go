// Package render prints the results of a command: as a table for people, as tab-separated text
// for programs, as JSON, or through a jq program or template.
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

// Format is the requested output format.
type Format struct {
	Fields   []string // of the JSON; "all" selects all of them; none prints a table
	JQ       string   // a jq program for the JSON
	Template string   // a Go template for the JSON
	Lines    bool     // JSON in one line for each entry
}

// JSON reports whether the caller requested anything but a table.
func (f *Format) JSON() bool { return f.Lines || len(f.Fields) > 0 || f.JQ != "" || f.Template != "" }

// Write prints a value: a struct of the API, or a slice of them.
func (f *Format) Write(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var data any
	if err := json.Unmarshal(text, &data); err != nil {
		return err
	}
	if data, err = f.selectFields(data, FieldNames(value)); err != nil {
		return err
	}
	switch {
	case f.JQ != "":
		return f.runJQ(w, data)
	case f.Template != "":
		return f.executeTemplate(w, data)
	case f.Lines:
		return writeLines(w, data)
	default:
		return writeIndented(w, data)
	}
}

// selectFields returns only the requested fields, with null for those that an object lacks.
func (f *Format) selectFields(data any, known []string) (any, error) {
	if len(f.Fields) == 0 || slices.Contains(f.Fields, "all") {
		return data, nil
	}
	for _, name := range f.Fields {
		if known != nil && !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown field %q; available fields: %s", name, strings.Join(known, ", "))
		}
	}
	if list, ok := data.([]any); ok {
		for i := range list {
			list[i] = pickFields(list[i], f.Fields)
		}
		return list, nil
	}
	return pickFields(data, f.Fields), nil
}

func pickFields(data any, fields []string) map[string]any {
	object, _ := data.(map[string]any)
	out := make(map[string]any, len(fields))
	for _, name := range fields {
		out[name] = object[name]
	}
	return out
}

// FieldNames returns the JSON names of a struct's fields; for a list, those of its elements.
func FieldNames(value any) []string {
	t := reflect.TypeOf(value)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil // not known
	}
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// writeLines writes the entries of a list, or a single value, as lines of JSON.
func writeLines(w io.Writer, data any) error {
	entries, ok := data.([]any)
	if !ok {
		entries = []any{data}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, entry := range entries {
		if err := e.Encode(entry); err != nil {
			return err
		}
	}
	return nil
}

func writeIndented(w io.Writer, data any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(data)
}

// runJQ prints the results of a jq program: texts as they are, other values as JSON.
func (f *Format) runJQ(w io.Writer, data any) error {
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
		if err := printJQResult(w, result); err != nil {
			return err
		}
	}
}

func printJQResult(w io.Writer, value any) error {
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

func (f *Format) executeTemplate(w io.Writer, data any) error {
	t, err := template.New("").Funcs(template.FuncMap{"join": strings.Join}).Parse(f.Template)
	if err != nil {
		return fmt.Errorf("--template: %w", err)
	}
	if err := t.Execute(w, data); err != nil {
		return fmt.Errorf("--template: %w", err)
	}
	return nil
}
