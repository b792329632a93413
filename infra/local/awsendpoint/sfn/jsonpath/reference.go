package jsonpath

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ohler55/ojg/jp"
)

// Reference is a Reference Path: one that names a single place, as ResultPath
// needs.
type Reference struct{ path Path }

// ParseReference reads a Reference Path into a state's data.
func ParseReference(text string) (Reference, error) {
	p, err := Parse(text)
	if err != nil {
		return Reference{}, err
	}
	if p.inContext || !p.definite {
		return Reference{}, fmt.Errorf("%q is not a Reference Path: it must name one place in the state's data", text)
	}
	for _, fragment := range p.expr {
		if n, ok := fragment.(jp.Nth); ok && n < 0 {
			return Reference{}, fmt.Errorf("%q is not a Reference Path: an index must not be negative", text)
		}
	}
	return Reference{path: p}, nil
}

// String returns the path as it was written.
func (r Reference) String() string { return r.path.text }

// Set returns a copy of root with value in this place. Objects on the way are
// made where they are missing; an index must exist.
func (r Reference) Set(root, value any) (any, error) {
	return set(root, r.path.expr[1:], value)
}

func set(node any, rest jp.Expr, value any) (any, error) {
	if len(rest) == 0 {
		return value, nil
	}
	switch f := rest[0].(type) {
	case jp.Child:
		return setMember(node, string(f), rest[1:], value)
	case jp.Nth:
		return setElement(node, int(f), rest[1:], value)
	}
	return nil, fmt.Errorf("%s does not name one place", rest)
}

func setMember(node any, name string, rest jp.Expr, value any) (any, error) {
	object, ok := node.(map[string]any)
	if !ok && node != nil {
		return nil, fmt.Errorf("there is no object to put '%s' into", name)
	}
	member, err := set(object[name], rest, value)
	if err != nil {
		return nil, err
	}
	changed := make(map[string]any, len(object)+1)
	maps.Copy(changed, object)
	changed[name] = member
	return changed, nil
}

func setElement(node any, index int, rest jp.Expr, value any) (any, error) {
	list, ok := node.([]any)
	if !ok || index >= len(list) {
		return nil, fmt.Errorf("there is no element [%d]", index)
	}
	element, err := set(list[index], rest, value)
	if err != nil {
		return nil, err
	}
	changed := slices.Clone(list)
	changed[index] = element
	return changed, nil
}
