// Package expression implements the values and expressions of DynamoDB that Loadbay sends:
//
//   - strings and 64-bit integers;
//   - conditions with =, <, <=, AND, OR, parentheses and attribute_not_exists, which compare an
//     attribute with a :value;
//   - updates with SET and REMOVE, where SET assigns a :value or if_not_exists, plus a :value;
//   - key conditions with a partition key and begins_with on the sort key;
//   - projections.
//
// Attributes are at the top level of an item. Everything else is rejected with a
// ValidationException that names it.
//
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html
package expression

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a value by its wire name.
type Kind string

// The types that are implemented.
const (
	String Kind = "S"
	Number Kind = "N"
)

// otherKinds are the types of DynamoDB that are not implemented.
var otherKinds = []Kind{"B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}

// Value is one attribute's value. Only the field of its Kind is set.
type Value struct {
	Kind   Kind
	Text   string // S
	Number int64  // N
}

// Item maps names to attribute values.
type Item map[string]Value

// MarshalJSON writes {"S":"text"} or {"N":"1"}.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(map[Kind]string{v.Kind: v.text()}) }

func (v Value) text() string {
	if v.Kind == Number {
		return strconv.FormatInt(v.Number, 10)
	}
	return v.Text
}

// UnmarshalJSON parses and validates the format of MarshalJSON.
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

func (v *Value) decode(content json.RawMessage) error {
	switch {
	case v.Kind == String:
		return json.Unmarshal(content, &v.Text)
	case v.Kind == Number:
		var text string
		err := json.Unmarshal(content, &text)
		if err != nil {
			return err
		}
		if v.Number, err = strconv.ParseInt(text, 10, 64); err != nil {
			return validationError("The parameter cannot be converted to a numeric value: %s; the local DynamoDB implements only 64-bit integers", text)
		}
		return nil
	case slices.Contains(otherKinds, v.Kind):
		return unsupported(fmt.Sprintf("values of type %s", v.Kind))
	}
	return validationError("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
}

// compare compares two values of the same type: strings by their UTF-8 bytes.
func (v Value) compare(w Value) int {
	return cmp.Or(strings.Compare(v.Text, w.Text), cmp.Compare(v.Number, w.Number))
}

// Size returns the billed bytes of the attributes, for an item's limit of 400 KB and a page's 1
// MB, by the rules of the developer guide; numbers count as text.
func (i Item) Size() (size int) {
	for name, value := range i {
		size += len(name) + len(value.text())
	}
	return size
}
