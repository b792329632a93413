package intrinsic

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// function is one intrinsic function and how many arguments it takes.
type function struct {
	least, most int // most is -1 for any number
	apply       func(args []any) (any, error)
	// template asks for the first argument with its escapes.
	template bool
}

// functions returns all that AWS has, by name.
func functions() map[string]function {
	return map[string]function{
		"States.Format":         {least: 1, most: -1, apply: format, template: true},
		"States.StringToJson":   {least: 1, most: 1, apply: stringToJSON},
		"States.JsonToString":   {least: 1, most: 1, apply: jsonToString},
		"States.StringSplit":    {least: 2, most: 2, apply: stringSplit},
		"States.UUID":           {least: 0, most: 0, apply: newUUID},
		"States.JsonMerge":      {least: 3, most: 3, apply: jsonMerge},
		"States.Array":          {least: 0, most: -1, apply: array},
		"States.ArrayPartition": {least: 2, most: 2, apply: arrayPartition},
		"States.ArrayContains":  {least: 2, most: 2, apply: arrayContains},
		"States.ArrayRange":     {least: 3, most: 3, apply: arrayRange},
		"States.ArrayGetItem":   {least: 2, most: 2, apply: arrayGetItem},
		"States.ArrayLength":    {least: 1, most: 1, apply: arrayLength},
		"States.ArrayUnique":    {least: 1, most: 1, apply: arrayUnique},
		"States.Base64Encode":   {least: 1, most: 1, apply: base64Encode},
		"States.Base64Decode":   {least: 1, most: 1, apply: base64Decode},
		"States.Hash":           {least: 2, most: 2, apply: hash},
		"States.MathAdd":        {least: 2, most: 2, apply: mathAdd},
		"States.MathRandom":     {least: 2, most: 3, apply: mathRandom},
	}
}

// format puts the other arguments where the template has {}.
func format(args []any) (any, error) {
	text, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("the template must be a string")
	}
	args = args[1:]
	var b strings.Builder
	used := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && strings.ContainsRune(`'{}\`, rune(text[i+1])):
			i++
			b.WriteByte(text[i])
		case strings.HasPrefix(text[i:], "{}"):
			if used < len(args) {
				b.WriteString(display(args[used]))
			}
			used++
			i++
		default:
			b.WriteByte(text[i])
		}
	}
	if used != len(args) {
		return nil, fmt.Errorf("the template has %d places for %d arguments", used, len(args))
	}
	return b.String(), nil
}

// display writes a string as it is and all else as JSON.
func display(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	text, err := jsonpath.Encode(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func stringToJSON(args []any) (any, error) {
	s, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("the argument must be a string")
	}
	value, err := jsonpath.Decode([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("the string is not JSON: %w", err)
	}
	return value, nil
}

func jsonToString(args []any) (any, error) {
	text, err := jsonpath.Encode(args[0])
	return string(text), err
}

// stringSplit cuts at any character of the second string, and drops empty parts.
func stringSplit(args []any) (any, error) {
	s, ok := args[0].(string)
	separators, alsoOK := args[1].(string)
	if !ok || !alsoOK {
		return nil, fmt.Errorf("both arguments must be strings")
	}
	parts := []any{}
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		parts = append(parts, part)
	}
	return parts, nil
}

func newUUID([]any) (any, error) { return uuid.NewString(), nil }

// jsonMerge lays the second object over the first; AWS has no deep mode.
func jsonMerge(args []any) (any, error) {
	first, ok := args[0].(map[string]any)
	second, alsoOK := args[1].(map[string]any)
	if !ok || !alsoOK {
		return nil, fmt.Errorf("the first two arguments must be objects")
	}
	if args[2] != false {
		return nil, fmt.Errorf("only shallow merging (false) is supported")
	}
	merged := make(map[string]any, len(first)+len(second))
	for _, object := range []map[string]any{first, second} {
		for name, value := range object {
			merged[name] = value
		}
	}
	return merged, nil
}
