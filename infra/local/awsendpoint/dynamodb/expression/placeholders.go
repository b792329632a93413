package expression

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
)

// reservedWords cannot be used directly as attribute names.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ReservedWords.html
//
//go:embed reserved.txt
var reservedWords string

// Placeholders are a request's #names and :values. All its expressions share them, and at least
// one must use each.
type Placeholders struct {
	names      map[string]string
	values     Item
	usedNames  map[string]bool
	usedValues map[string]bool
	reserved   map[string]bool
}

// NewPlaceholders checks ExpressionAttributeNames and ExpressionAttributeValues.
func NewPlaceholders(names map[string]string, values Item) (*Placeholders, error) {
	if names != nil && len(names) == 0 {
		return nil, validationError("ExpressionAttributeNames must not be empty")
	}
	if values != nil && len(values) == 0 {
		return nil, validationError("ExpressionAttributeValues must not be empty")
	}
	for key, name := range names {
		if !strings.HasPrefix(key, "#") || len(key) == 1 || name == "" {
			return nil, validationError("ExpressionAttributeNames contains invalid key: Syntax error; key: %q", key)
		}
	}
	for key := range values {
		if !strings.HasPrefix(key, ":") || len(key) == 1 {
			return nil, validationError("ExpressionAttributeValues contains invalid key: Syntax error; key: %q", key)
		}
	}
	s := &Placeholders{
		names: names, values: values,
		usedNames: make(map[string]bool), usedValues: make(map[string]bool),
		reserved: make(map[string]bool),
	}
	for _, word := range strings.Fields(reservedWords) {
		s.reserved[word] = true
	}
	return s, nil
}

// CheckUsed rejects placeholders that no expression uses. Call it after parsing every expression
// of the request.
func (s *Placeholders) CheckUsed() error {
	if unused := firstUnused(s.names, s.usedNames); unused != "" {
		return validationError("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", unused)
	}
	if unused := firstUnused(s.values, s.usedValues); unused != "" {
		return validationError("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", unused)
	}
	return nil
}

func firstUnused[V any](all map[string]V, used map[string]bool) string {
	unused := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(key string) bool { return used[key] })
	return strings.Join(unused, ", ")
}

// name returns the attribute that a token refers to.
func (s *Placeholders) name(text string) (string, error) {
	if !strings.HasPrefix(text, "#") {
		if s.reserved[strings.ToUpper(text)] {
			return "", validationError("Attribute name is a reserved keyword; reserved keyword: %s", text)
		}
		return text, nil
	}
	name, ok := s.names[text]
	if !ok {
		return "", validationError("An expression attribute name used in the document path is not defined; attribute name: %s", text)
	}
	s.usedNames[text] = true
	return name, nil
}

func (s *Placeholders) value(text string) (Value, error) {
	value, ok := s.values[text]
	if !ok {
		return Value{}, validationError("An expression attribute value used in expression is not defined; attribute value: %s", text)
	}
	s.usedValues[text] = true
	return value, nil
}
