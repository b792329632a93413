package jsonpath

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// Path is a parsed path: the member names, from the outermost object inwards.
type Path struct {
	text      string
	names     []string
	inContext bool
}

// MissingError reports a path that does not exist in the data.
type MissingError struct {
	Path   string // as written in the definition
	Detail string // AWS's wording, e.g. "No results for path: $['a']"
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("Invalid path '%s' : %s", e.Path, e.Detail)
}

var pattern = regexp.MustCompile(`^\$\$?(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// Parse parses a path, which begins with "$" or "$$".
func Parse(text string) (Path, error) {
	if !pattern.MatchString(text) {
		return Path{}, fmt.Errorf("%q is not a JSONPath of the kind that is supported, as $.a.b", text)
	}
	return Path{text: text, names: strings.Split(text, ".")[1:], inContext: strings.HasPrefix(text, "$$")}, nil
}

// ParseReference parses a Reference Path, which addresses a place in a state's data.
func ParseReference(text string) (Path, error) {
	p, err := Parse(text)
	if err == nil && p.inContext {
		err = fmt.Errorf("%q is not a Reference Path: it must name one place in the state's data", text)
	}
	return p, err
}

// String returns the path as written.
func (p Path) String() string { return p.text }

// Get returns the value at the path, or a *MissingError.
func (p Path) Get(scope Scope) (any, error) {
	value := scope.Input
	if p.inContext {
		value = scope.Context()
	}
	for i, name := range p.names {
		object, _ := value.(map[string]any)
		member, ok := object[name]
		if !ok {
			return nil, p.missing(i + 1)
		}
		value = member
	}
	return value, nil
}

func (p Path) missing(length int) error {
	detail := "Missing property in path $"
	if length == len(p.names) {
		detail = "No results for path: $"
	}
	return &MissingError{Path: p.text, Detail: detail + "['" + strings.Join(p.names[:length], "']['") + "']"}
}

// Set returns a copy of root with value at this path. Missing objects on the way
// are created.
func (p Path) Set(root, value any) (any, error) { return set(root, p.names, value) }

func set(node any, names []string, value any) (any, error) {
	if len(names) == 0 {
		return value, nil
	}
	object, ok := node.(map[string]any)
	if !ok && node != nil {
		return nil, fmt.Errorf("no object to add '%s' to", names[0])
	}
	member, err := set(object[names[0]], names[1:], value)
	if err != nil {
		return nil, err
	}
	changed := make(map[string]any, len(object)+1)
	maps.Copy(changed, object)
	changed[names[0]] = member
	return changed, nil
}
