// Package jsontext finds members of JSON documents that encoding/json accepts, but that another
// reader may understand differently: repeated ones, of which the last counts, and names in another
// case.
package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// MemberError is the reason why a document is ambiguous.
type MemberError struct{ reason string }

func (e *MemberError) Error() string { return "json: " + e.reason }

// Describe returns the reason as the end of a sentence.
func (e *MemberError) Describe() string { return e.reason }

// maxDepth is the depth at which the decoder gives up, too.
const maxDepth = 10_000

// CheckMembers returns a *MemberError if an object in the document has a member twice, or one that
// the type of target, which is decoded later, has in another case. Invalid JSON is left to the
// decoder.
func CheckMembers(document []byte, target any) error {
	c := &checker{Decoder: json.NewDecoder(bytes.NewReader(document)), fields: make(map[reflect.Type]map[string]reflect.Type)}
	c.UseNumber()
	return c.value(reflect.TypeOf(target), 0)
}

type checker struct {
	*json.Decoder
	ended  bool                                     // the rest is left to the decoder
	fields map[reflect.Type]map[string]reflect.Type // see fieldsOf; a list may have many objects of a type
}

// next returns the next token; nil at the end.
func (c *checker) next() json.Token {
	token, err := c.Token()
	if err != nil {
		c.ended = true
		return nil
	}
	return token
}

// value checks the next value; t is nil if any names are allowed.
func (c *checker) value(t reflect.Type, depth int) error {
	opening, isDelim := c.next().(json.Delim)
	if !isDelim {
		return nil
	}
	if depth == maxDepth {
		c.ended = true
		return nil
	}
	t = declared(t)
	if opening == '{' {
		if err := c.object(t, depth); err != nil {
			return err
		}
	} else {
		for !c.ended && c.More() {
			if err := c.value(elementOf(t), depth+1); err != nil {
				return err
			}
		}
	}
	if !c.ended {
		c.next()
	}
	return nil
}

// object checks the members of an object.
func (c *checker) object(t reflect.Type, depth int) error {
	fields := c.fieldsOf(t)
	seen := make(map[string]bool)
	for !c.ended && c.More() {
		name, isName := c.next().(string)
		if !isName {
			return nil
		}
		if seen[name] {
			return &MemberError{fmt.Sprintf("it has the member %q twice", shorten(name))}
		}
		seen[name] = true
		member := elementOf(t)
		if fields != nil {
			var known bool
			if member, known = fields[name]; !known {
				for other := range fields {
					if strings.EqualFold(other, name) {
						return &MemberError{fmt.Sprintf("write the member %q as %q", shorten(name), other)}
					}
				}
			}
		}
		if err := c.value(member, depth+1); err != nil {
			return err
		}
	}
	return nil
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// declared returns the type without pointers, or nil if it decodes itself.
func declared(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer && !t.Implements(unmarshaler) {
		t = t.Elem()
	}
	if t == nil || t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	return t
}

// elementOf returns the type of the elements of a list or map, or nil.
func elementOf(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map) {
		return t.Elem()
	}
	return nil
}

// fieldsOf returns the types of a struct's members by name, or nil for any other type.
func (c *checker) fieldsOf(t reflect.Type) map[string]reflect.Type {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	if fields, known := c.fields[t]; known {
		return fields
	}
	fields := make(map[string]reflect.Type)
	c.fields[t] = fields
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		fields[name] = f.Type
	}
	return fields
}

// shorten cuts a name for a message.
func shorten(name string) string {
	if r := []rune(name); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return name
}
