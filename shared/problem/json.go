package problem

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// maxName is the maximum number of characters of a member name in a message.
const maxName = 60

// DescribeJSON describes a JSON decoding error for people, as the end of a sentence: "it ends
// too early".
func DescribeJSON(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	unknown, isUnknown := "", false
	if err != nil {
		unknown, isUnknown = strings.CutPrefix(err.Error(), "json: unknown field ")
	}
	var described interface{ Describe() string }
	switch {
	case errors.As(err, &described):
		return described.Describe()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it is incomplete"
	case errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end"):
		return "it is incomplete"
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is not valid JSON at character %d", syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("it must be %s, not %s", describeType(kind.Type), describeValue(kind.Value))
	case errors.As(err, &kind):
		return fmt.Sprintf("%s must be %s, not %s", shorten(kind.Field), describeType(kind.Type), describeValue(kind.Value))
	case isUnknown:
		return "unknown member " + shorten(strings.Trim(unknown, `"`))
	}
	return "it is not valid"
}

// describeType describes the values that a type accepts.
func describeType(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	}
	return "an object"
}

// describeValue describes a value from the decoder's word: "string", "number", or "number 1.5"
// if the number has the wrong type.
func describeValue(word string) string {
	word, number, _ := strings.Cut(word, " ")
	switch word {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "number":
		return strings.TrimSpace("a number " + shorten(number))
	case "array":
		return "an array"
	}
	return "an object"
}

func shorten(name string) string {
	if r := []rune(name); len(r) > maxName {
		return string(r[:maxName]) + "…"
	}
	return name
}
