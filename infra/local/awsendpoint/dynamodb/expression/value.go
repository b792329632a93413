// Package expression is DynamoDB's language of values and conditions, as far
// as a coordination table needs it: key conditions, conditions and filters with
// comparisons, BETWEEN, IN, AND, OR, NOT, attribute_exists,
// attribute_not_exists, begins_with and contains; updates with SET and REMOVE;
// projections. Attributes are named at the top level of an item. Document paths
// (a.b, a[0]), size, attribute_type, list_append, ADD and DELETE are refused by
// name.
//
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html
package expression

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Kind is the type of a value, as the wire names it.
type Kind string

// The types of DynamoDB.
const (
	String    Kind = "S"
	Number    Kind = "N"
	Binary    Kind = "B"
	Bool      Kind = "BOOL"
	Null      Kind = "NULL"
	StringSet Kind = "SS"
	NumberSet Kind = "NS"
	BinarySet Kind = "BS"
	List      Kind = "L"
	Map       Kind = "M"
)

// Value is one attribute's value. Only the field of its Kind is set.
type Value struct {
	Kind  Kind
	Text  string   // S, or N in its shortest form
	Bytes []byte   // B
	Bool  bool     // BOOL
	Texts []string // SS and NS, sorted
	Blobs [][]byte // BS, sorted
	List  []Value  // L
	Map   Item     // M
}

// Item is attributes by name.
type Item map[string]Value

// MarshalJSON writes {"S":"text"}.
func (v Value) MarshalJSON() ([]byte, error) {
	var content any
	switch v.Kind {
	case String, Number:
		content = v.Text
	case Binary:
		content = v.Bytes
	case Bool:
		content = v.Bool
	case Null:
		content = true
	case StringSet, NumberSet:
		content = v.Texts
	case BinarySet:
		content = v.Blobs
	case List:
		content = v.List
	case Map:
		content = v.Map
	default:
		return nil, fmt.Errorf("a value of kind %q", v.Kind)
	}
	return json.Marshal(map[Kind]any{v.Kind: content})
}

// UnmarshalJSON reads and checks what MarshalJSON writes.
func (v *Value) UnmarshalJSON(data []byte) error {
	var members map[Kind]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	if len(members) != 1 {
		return validationError("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
	}
	for kind, content := range members {
		v.Kind = kind
		return v.decode(content)
	}
	return nil
}

func (v *Value) decode(content json.RawMessage) (err error) {
	switch v.Kind {
	case String:
		return json.Unmarshal(content, &v.Text)
	case Number:
		if err := json.Unmarshal(content, &v.Text); err != nil {
			return err
		}
		v.Text, err = canonicalNumber(v.Text)
		return err
	case Binary:
		return json.Unmarshal(content, &v.Bytes)
	case Bool:
		return json.Unmarshal(content, &v.Bool)
	case Null:
		return nil
	case StringSet, NumberSet, BinarySet:
		return v.decodeSet(content)
	case List:
		v.List = []Value{}
		return json.Unmarshal(content, &v.List)
	case Map:
		v.Map = Item{}
		return json.Unmarshal(content, &v.Map)
	}
	return validationError("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
}

func (v *Value) decodeSet(content json.RawMessage) error {
	target := any(&v.Texts)
	if v.Kind == BinarySet {
		target = &v.Blobs
	}
	if err := json.Unmarshal(content, target); err != nil {
		return err
	}
	if v.Kind == NumberSet {
		for i, text := range v.Texts {
			var err error
			if v.Texts[i], err = canonicalNumber(text); err != nil {
				return err
			}
		}
	}
	size := len(v.Texts) + len(v.Blobs)
	slices.Sort(v.Texts)
	slices.SortFunc(v.Blobs, bytes.Compare)
	v.Texts = slices.Compact(v.Texts)
	v.Blobs = slices.CompactFunc(v.Blobs, bytes.Equal)
	switch {
	case size == 0:
		return validationError("One or more parameter values were invalid: An %s set may not be empty", strings.ToLower(string(v.Kind)))
	case size != len(v.Texts)+len(v.Blobs):
		return validationError("One or more parameter values were invalid: Input collection contains duplicates.")
	}
	return nil
}

// Equal reports whether two values are of the same type and the same.
func (v Value) Equal(w Value) bool {
	return v.Kind == w.Kind && v.Text == w.Text && v.Bool == w.Bool &&
		bytes.Equal(v.Bytes, w.Bytes) && slices.Equal(v.Texts, w.Texts) &&
		slices.EqualFunc(v.Blobs, w.Blobs, bytes.Equal) &&
		slices.EqualFunc(v.List, w.List, Value.Equal) && equalItems(v.Map, w.Map)
}

func equalItems(a, b Item) bool {
	if len(a) != len(b) {
		return false
	}
	for name, value := range a {
		other, ok := b[name]
		if !ok || !value.Equal(other) {
			return false
		}
	}
	return true
}

// compare orders two values of the same ordered type (S by its UTF-8 bytes, N,
// B); ok is false for all others.
func (v Value) compare(w Value) (order int, ok bool) {
	if v.Kind != w.Kind {
		return 0, false
	}
	switch v.Kind {
	case String:
		return strings.Compare(v.Text, w.Text), true
	case Number:
		return compareNumbers(v.Text, w.Text), true
	case Binary:
		return bytes.Compare(v.Bytes, w.Bytes), true
	}
	return 0, false
}

// Size is the bytes that attributes count for, towards an item's 400 KB and a
// page's 1 MB, by the rules of the developer guide; numbers count as text.
func (i Item) Size() (size int) {
	for name, value := range i {
		size += len(name) + value.size()
	}
	return size
}

func (v Value) size() int {
	const overhead = 3 // of a list or map
	switch v.Kind {
	case Bool, Null:
		return 1
	case List, Map:
		size := overhead + v.Map.Size() + len(v.Map)
		for _, element := range v.List {
			size += 1 + element.size()
		}
		return size
	}
	size := len(v.Text) + len(v.Bytes)
	for _, text := range v.Texts {
		size += len(text)
	}
	for _, blob := range v.Blobs {
		size += len(blob)
	}
	return size
}
