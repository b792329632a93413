package asl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// maxNameLength is the maximum length of a state's name.
const maxNameLength = 80

// Parse parses a definition. The error joins a *SchemaError for each error in it.
func Parse(definition []byte) (*Machine, error) {
	f := &schemaErrors{}
	if !json.Valid(definition) {
		return nil, &SchemaError{Code: "INVALID_JSON_DESCRIPTION", Message: "Definition must be valid JSON", Where: "/"}
	}
	findDuplicates(definition, f)
	o := newObject(definition, "", f)
	o.require("StartAt", "States")
	o.text("Comment")
	m := &Machine{
		StartAt: o.text("StartAt"),
		States:  map[string]*State{},
	}
	if text, ok := o.field("States"); ok {
		m.readStates(text, f)
	}
	o.rejectUnknown("a state machine")
	if len(f.errs) == 0 {
		m.checkGraph(f)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Machine) readStates(text json.RawMessage, f *schemaErrors) {
	states := newObject(text, "/States", f)
	for _, name := range slices.Sorted(maps.Keys(states.fields)) {
		if len(name) == 0 || len(name) > maxNameLength {
			states.addError("The name '%s' must have 1 to %d characters", name, maxNameLength)
		}
		m.States[name] = readState(name, newObject(states.fields[name], "/States/"+name, f))
	}
}

func readState(name string, o *object) *State {
	o.require("Type")
	o.text("Comment")
	s := &State{Name: name}
	kind := o.text("Type")
	switch kind {
	case "Task":
		s.Action = o.task()
	case "Choice":
		s.Action = o.choice()
	case "Pass":
		s.Action = o.pass()
	case "Succeed":
		s.Action = &Succeed{}
	case "Fail":
		s.Action = o.failState()
	default:
		o.addErrorAt("Type", "The state type '%s' is not supported", kind)
		return s
	}
	if kind == "Task" || kind == "Pass" {
		o.oneOf("Next", "End")
		s.Next = o.text("Next")
		if o.has("End") && !o.flag("End") {
			o.addErrorAt("End", "Value must be true")
		}
	}
	o.rejectUnknown("a " + kind + " state")
	return s
}

func (o *object) pass() *Pass {
	return &Pass{Parameters: o.template("Parameters"), Result: o.placement()}
}

func (o *object) failState() *Fail {
	o.atMostOne("Error", "ErrorPath")
	o.atMostOne("Cause", "CausePath")
	return &Fail{
		Error: o.textPointer("Error"), ErrorPath: o.expression("ErrorPath"),
		Cause: o.textPointer("Cause"), CausePath: o.expression("CausePath"),
	}
}

// findDuplicates reports duplicate names in an object: encoding/json would silently use the last
// one.
func findDuplicates(definition []byte, f *schemaErrors) {
	d := json.NewDecoder(bytes.NewReader(definition))
	if err := walkJSON(d, "", f); err != nil {
		f.add(schemaErrorCode, "/", "%v", err)
	}
}

func walkJSON(d *json.Decoder, where string, f *schemaErrors) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	open, _ := token.(json.Delim)
	seen := map[string]bool{}
	for i := 0; open != 0 && d.More(); i++ {
		inner := fmt.Sprintf("%s[%d]", where, i)
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, ok := key.(string)
			if !ok {
				return errors.New("a member's name must be a string")
			}
			if seen[name] {
				f.add("DUPLICATE_NAME", where+"/", "The name '%s' occurs twice", name)
			}
			seen[name], inner = true, where+"/"+name
		}
		if err := walkJSON(d, inner, f); err != nil {
			return err
		}
	}
	if open != 0 {
		_, err = d.Token()
	}
	return err
}
