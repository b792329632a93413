package jsonpath

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ohler55/ojg/jp"
)

// Path is a parsed path. Its zero value is not usable.
type Path struct {
	text      string
	expr      jp.Expr
	inContext bool
	// definite paths lead to one value at most; the others to a list of all
	// that match, which may be empty.
	definite bool
	filtered bool
}

// MissingError says that a definite path leads nowhere.
type MissingError struct {
	Path   string // as written in the definition
	Detail string // in the words of AWS, as in "No results for path: $['a']"
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("Invalid path '%s' : %s", e.Path, e.Detail)
}

// Parse reads a path, which begins with "$" or "$$".
func Parse(text string) (Path, error) {
	p := Path{text: text, definite: true}
	inner := text
	if strings.HasPrefix(text, "$$") {
		p.inContext, inner = true, text[1:]
	}
	expr, err := jp.ParseString(inner)
	if err != nil {
		return Path{}, fmt.Errorf("%q is not a JSONPath: %w", text, err)
	}
	if len(expr) == 0 || expr[0] != jp.Root('$') {
		return Path{}, fmt.Errorf("%q is not a JSONPath: it must begin with $", text)
	}
	p.expr = expr
	for _, fragment := range expr[1:] {
		switch fragment.(type) {
		case jp.Child, jp.Nth:
		case *jp.Filter:
			p.definite, p.filtered = false, true
		default:
			p.definite = false
		}
	}
	return p, nil
}

// String returns the path as it was written.
func (p Path) String() string { return p.text }

// Get returns the value that the path leads to; for a path with wildcards,
// slices or filters the list of all matches: elements in their order, members
// of an object in none. A definite path that leads nowhere is a *MissingError.
func (p Path) Get(scope Scope) (any, error) {
	root := scope.Input
	if p.inContext {
		root = scope.Context()
	}
	if !p.definite {
		return p.matches(root)
	}
	value := root
	for i, fragment := range p.expr[1:] {
		next, ok := child(value, fragment)
		if !ok {
			return nil, p.missing(i + 1)
		}
		value = next
	}
	return value, nil
}

// child takes one step of a definite path.
func child(value any, fragment jp.Frag) (any, bool) {
	switch f := fragment.(type) {
	case jp.Child:
		object, _ := value.(map[string]any)
		next, ok := object[string(f)]
		return next, ok
	case jp.Nth:
		list, _ := value.([]any)
		i := int(f)
		if i < 0 {
			i += len(list)
		}
		if i < 0 || i >= len(list) {
			return nil, false
		}
		return list[i], true
	}
	return nil, false
}

func (p Path) missing(at int) error {
	detail := "Missing property in path "
	if at == len(p.expr)-1 {
		detail = "No results for path: "
	}
	return &MissingError{Path: p.text, Detail: detail + normalized(p.expr[:at+1])}
}

func normalized(expr jp.Expr) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, fragment := range expr[1:] {
		switch f := fragment.(type) {
		case jp.Child:
			fmt.Fprintf(&b, "['%s']", string(f))
		case jp.Nth:
			fmt.Fprintf(&b, "[%d]", int(f))
		}
	}
	return b.String()
}

// matches returns what an indefinite path finds. Filters compare Go numbers,
// not json.Number, so they work on a converted copy; its fractions are float64.
func (p Path) matches(root any) ([]any, error) {
	if !p.filtered {
		return append([]any{}, p.expr.Get(root)...), nil
	}
	text, err := Encode(append([]any{}, p.expr.Get(plainNumbers(root))...))
	if err != nil {
		return nil, fmt.Errorf("filter %s: %w", p.text, err)
	}
	found, err := Decode(text)
	if err != nil {
		return nil, fmt.Errorf("filter %s: %w", p.text, err)
	}
	return found.([]any), nil
}

// plainNumbers returns a copy of value with int64 and float64 in place of
// json.Number.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, member := range v {
			object[name] = plainNumbers(member)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = plainNumbers(element)
		}
		return list
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		float, _ := v.Float64()
		return float
	}
	return value
}
