package asl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/intrinsic"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// SchemaError is one error in a definition, with AWS's message.
type SchemaError struct {
	Code    string // SCHEMA_VALIDATION_FAILED, MISSING_TRANSITION_TARGET …
	Message string
	Where   string // the path, such as "/States/Split/Retry[0]"
}

func (f *SchemaError) Error() string { return f.Code + ": " + f.Message + " at " + f.Where }

const (
	schemaErrorCode = "SCHEMA_VALIDATION_FAILED"
	targetErrorCode = "MISSING_TRANSITION_TARGET"
)

// schemaErrors collects all errors of a definition.
type schemaErrors struct{ errs []error }

func (f *schemaErrors) add(code, where, format string, args ...any) {
	f.errs = append(f.errs, &SchemaError{Code: code, Message: fmt.Sprintf(format, args...), Where: where})
}

func (f *schemaErrors) err() error { return errors.Join(f.errs...) }

// object is a JSON object of the definition while its fields are being read. Fields that were not
// read by the end are unknown.
type object struct {
	where  string
	fields map[string]json.RawMessage
	read   map[string]bool
	errs   *schemaErrors
}

func newObject(text json.RawMessage, where string, f *schemaErrors) *object {
	o := &object{where: where, read: map[string]bool{}, errs: f}
	if err := json.Unmarshal(text, &o.fields); err != nil || o.fields == nil {
		o.addError("Value must be an object")
		o.fields = map[string]json.RawMessage{}
	}
	return o
}

func (o *object) addError(format string, args ...any) {
	where := o.where
	if where == "" {
		where = "/"
	}
	o.errs.add(schemaErrorCode, where, format, args...)
}

func (o *object) addErrorAt(name, format string, args ...any) {
	o.errs.add(schemaErrorCode, o.where+"/"+name, format, args...)
}

func (o *object) has(name string) bool {
	_, ok := o.fields[name]
	return ok
}

// field returns a field's text and whether it exists.
func (o *object) field(name string) (json.RawMessage, bool) {
	o.read[name] = true
	text, ok := o.fields[name]
	return text, ok
}

func (o *object) isNull(name string) bool {
	return bytes.Equal(bytes.TrimSpace(o.fields[name]), []byte("null"))
}

// decode decodes a field into a Go value; a mismatch is an error.
func (o *object) decode(name string, target any, kind string) bool {
	text, ok := o.field(name)
	if !ok {
		return false
	}
	if o.isNull(name) || json.Unmarshal(text, target) != nil {
		o.addErrorAt(name, "Value must be %s", kind)
		return false
	}
	return true
}

func (o *object) text(name string) string {
	var s string
	o.decode(name, &s, "a string")
	return s
}

func (o *object) textPointer(name string) *string {
	var s string
	if !o.decode(name, &s, "a string") {
		return nil
	}
	return &s
}

func (o *object) flag(name string) bool {
	var b bool
	o.decode(name, &b, "a boolean")
	return b
}

// integer reads an integer from least to most, or the default.
func (o *object) integer(name string, least, most, otherwise int64) int64 {
	n := otherwise
	if o.decode(name, &n, "an integer") && (n < least || n > most) {
		o.addErrorAt(name, "Value is not in the range [%d, %d]", least, most)
	}
	return n
}

func (o *object) path(name string) jsonpath.Path {
	var s string
	if !o.decode(name, &s, "a string") {
		return jsonpath.Path{}
	}
	p, err := jsonpath.Parse(s)
	if err != nil {
		o.addErrorAt(name, "%v", err)
	}
	return p
}

func (o *object) expression(name string) intrinsic.Expression {
	var s string
	if !o.decode(name, &s, "a string") {
		return nil
	}
	e, err := intrinsic.Parse(s)
	if err != nil {
		o.addErrorAt(name, "%v", err)
	}
	return e
}

// placement reads ResultPath.
func (o *object) placement() Placement {
	const name = "ResultPath"
	if o.has(name) && o.isNull(name) {
		o.field(name)
		return Placement{Discard: true}
	}
	s := "$"
	o.decode(name, &s, "a string")
	reference, err := jsonpath.ParseReference(s)
	if err != nil {
		o.addErrorAt(name, "%v", err)
	}
	return Placement{Path: reference}
}

func (o *object) template(name string) *Template {
	text, ok := o.field(name)
	if !ok {
		return nil
	}
	t, err := newTemplate(text)
	for _, fault := range err {
		o.addErrorAt(name, "%s", fault)
	}
	return t
}

// list reads an array of objects.
func (o *object) list(name string) []*object {
	var texts []json.RawMessage
	o.decode(name, &texts, "an array")
	objects := make([]*object, len(texts))
	for i, text := range texts {
		objects[i] = newObject(text, fmt.Sprintf("%s/%s[%d]", o.where, name, i), o.errs)
	}
	return objects
}

// require reports absent fields.
func (o *object) require(names ...string) {
	missing := slices.DeleteFunc(names, o.has)
	if len(missing) > 0 {
		o.addError("These fields are required: [%s]", strings.Join(missing, ", "))
	}
}

// oneOf reports an error unless exactly one of the fields exists.
func (o *object) oneOf(names ...string) {
	there := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !o.has(name) })
	if len(there) != 1 {
		o.addError("Exactly one of these fields must be given: [%s]", strings.Join(names, ", "))
	}
}

// atMostOne reports mutually exclusive fields.
func (o *object) atMostOne(names ...string) {
	there := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !o.has(name) })
	if len(there) > 1 {
		o.addError("Only one of these fields may be given: [%s]", strings.Join(there, ", "))
	}
}

// rejectUnknown reports fields that were not read.
func (o *object) rejectUnknown(kind string) {
	var unknown []string
	for name := range o.fields {
		if !o.read[name] {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		o.addError("Field '%s' is not supported in %s", name, kind)
	}
}
