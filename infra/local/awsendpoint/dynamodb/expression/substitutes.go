package expression

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
)

// reservedWords may not name an attribute directly.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ReservedWords.html
//
//go:embed reserved.txt
var reservedWords string

// Substitutes are a request's #names and :values. All its expressions share
// them, and each must be used by one.
type Substitutes struct {
	names      map[string]string
	values     Item
	usedNames  map[string]bool
	usedValues map[string]bool
	reserved   map[string]bool
}

// NewSubstitutes checks ExpressionAttributeNames and ExpressionAttributeValues.
func NewSubstitutes(names map[string]string, values Item) (*Substitutes, error) {
	if names != nil && len(names) == 0 {
		return nil, invalid("ExpressionAttributeNames must not be empty")
	}
	if values != nil && len(values) == 0 {
		return nil, invalid("ExpressionAttributeValues must not be empty")
	}
	for key, name := range names {
		if !strings.HasPrefix(key, "#") || len(key) == 1 || name == "" {
			return nil, invalid("ExpressionAttributeNames contains invalid key: Syntax error; key: %q", key)
		}
	}
	for key := range values {
		if !strings.HasPrefix(key, ":") || len(key) == 1 {
			return nil, invalid("ExpressionAttributeValues contains invalid key: Syntax error; key: %q", key)
		}
	}
	s := &Substitutes{
		names: names, values: values,
		usedNames: make(map[string]bool), usedValues: make(map[string]bool),
		reserved: make(map[string]bool),
	}
	for _, word := range strings.Fields(reservedWords) {
		s.reserved[word] = true
	}
	return s, nil
}

// CheckUsed refuses substitutes that no expression has used. Call it after
// every expression of the request was parsed.
func (s *Substitutes) CheckUsed() error {
	if unused := firstUnused(s.names, s.usedNames); unused != "" {
		return invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", unused)
	}
	if unused := firstUnused(s.values, s.usedValues); unused != "" {
		return invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", unused)
	}
	return nil
}

func firstUnused[V any](all map[string]V, used map[string]bool) string {
	unused := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(key string) bool { return used[key] })
	return strings.Join(unused, ", ")
}

// name returns the attribute that a token names.
func (s *Substitutes) name(text string) (string, error) {
	if !strings.HasPrefix(text, "#") {
		if s.reserved[strings.ToUpper(text)] {
			return "", invalid("Attribute name is a reserved keyword; reserved keyword: %s", text)
		}
		return text, nil
	}
	name, ok := s.names[text]
	if !ok {
		return "", invalid("An expression attribute name used in the document path is not defined; attribute name: %s", text)
	}
	s.usedNames[text] = true
	return name, nil
}

func (s *Substitutes) value(text string) (Value, error) {
	value, ok := s.values[text]
	if !ok {
		return Value{}, invalid("An expression attribute value used in expression is not defined; attribute value: %s", text)
	}
	s.usedValues[text] = true
	return value, nil
}
