package asl

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// test decides on the value of a rule's variable.
type test func(value any, scope jsonpath.Scope) (bool, error)

// ordering compares two values of one type: negative, zero or positive. ok is
// false where either is of another type; then no operator matches.
type ordering func(a, b any) (order int, ok bool)

// orderings are the types that operators begin with.
func orderings() map[string]ordering {
	return map[string]ordering{"String": orderStrings, "Numeric": orderNumbers, "Boolean": orderBooleans, "Timestamp": orderTimestamps}
}

// relations are what may follow the type.
func relations() map[string]func(order int) bool {
	return map[string]func(int) bool{
		"Equals":            func(order int) bool { return order == 0 },
		"LessThan":          func(order int) bool { return order < 0 },
		"LessThanEquals":    func(order int) bool { return order <= 0 },
		"GreaterThan":       func(order int) bool { return order > 0 },
		"GreaterThanEquals": func(order int) bool { return order >= 0 },
	}
}

// typeTests are the operators that look at the type only.
func typeTests() map[string]func(value any) bool {
	return map[string]func(any) bool{
		"IsPresent": func(v any) bool { _, missing := v.(absent); return !missing },
		"IsNull":    func(v any) bool { return v == nil },
		"IsString":  func(v any) bool { _, ok := v.(string); return ok },
		"IsNumeric": func(v any) bool { _, ok := v.(json.Number); return ok },
		"IsBoolean": func(v any) bool { _, ok := v.(bool); return ok },
		"IsTimestamp": func(v any) bool {
			_, ok := timestamp(v)
			return ok
		},
	}
}

// operator reads the operator of a comparison and its operand.
func (o *object) operator(name string) test {
	if is, ok := typeTests()[name]; ok {
		want := o.flag(name)
		return func(value any, _ jsonpath.Scope) (bool, error) { return is(value) == want, nil }
	}
	if name == "StringMatches" {
		return matches(o.text(name))
	}
	for kind, order := range orderings() {
		relation, ok := strings.CutPrefix(name, kind)
		if !ok {
			continue
		}
		relation, fromPath := strings.CutSuffix(relation, "Path")
		holds, ok := relations()[relation]
		if !ok || (kind == "Boolean" && relation != "Equals") {
			break
		}
		if fromPath {
			return o.compareWithPath(name, order, holds)
		}
		return o.compareWithConstant(name, kind, order, holds)
	}
	o.take(name)
	o.fail("The operator '%s' is not supported", name)
	return nil
}

func (o *object) compareWithConstant(name, kind string, order ordering, holds func(int) bool) test {
	operand := o.value(name)
	if _, ok := order(operand, operand); !ok {
		o.failAt(name, "Value must be a %s", strings.ToLower(kind))
	}
	return func(value any, _ jsonpath.Scope) (bool, error) {
		result, ok := order(value, operand)
		return ok && holds(result), nil
	}
}

func (o *object) compareWithPath(name string, order ordering, holds func(int) bool) test {
	path := o.path(name)
	if path == nil {
		return nil
	}
	return func(value any, scope jsonpath.Scope) (bool, error) {
		operand, err := path.Get(scope)
		if missing := new(jsonpath.MissingError); errors.As(err, &missing) {
			return false, &InvalidPathError{Path: missing.Path}
		}
		if err != nil {
			return false, err
		}
		result, ok := order(value, operand)
		return ok && holds(result), nil
	}
}

func orderStrings(a, b any) (int, bool) {
	x, ok := a.(string)
	y, alsoOK := b.(string)
	return strings.Compare(x, y), ok && alsoOK
}

// orderNumbers compares integers exactly and all else as float64.
func orderNumbers(a, b any) (int, bool) {
	x, ok := a.(json.Number)
	y, alsoOK := b.(json.Number)
	if !ok || !alsoOK {
		return 0, false
	}
	i, err1 := x.Int64()
	j, err2 := y.Int64()
	if err1 == nil && err2 == nil {
		return cmp.Compare(i, j), true
	}
	f, err1 := x.Float64()
	g, err2 := y.Float64()
	return cmp.Compare(f, g), err1 == nil && err2 == nil
}

func orderBooleans(a, b any) (int, bool) {
	x, ok := a.(bool)
	y, alsoOK := b.(bool)
	if x == y {
		return 0, ok && alsoOK
	}
	return 1, ok && alsoOK
}

func orderTimestamps(a, b any) (int, bool) {
	x, ok := timestamp(a)
	y, alsoOK := timestamp(b)
	return x.Compare(y), ok && alsoOK
}

func timestamp(value any) (time.Time, bool) {
	s, _ := value.(string)
	t, err := time.Parse(time.RFC3339, s)
	return t, err == nil
}

// matches compiles the pattern of StringMatches: * is any text, \* a star and
// \\ a backslash.
func matches(pattern string) test {
	var expression, literal strings.Builder
	expression.WriteString(`(?s)^`)
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] == '*':
			expression.WriteString(regexp.QuoteMeta(literal.String()) + `.*`)
			literal.Reset()
		case pattern[i] == '\\' && i+1 < len(pattern) && (pattern[i+1] == '*' || pattern[i+1] == '\\'):
			i++
			literal.WriteByte(pattern[i])
		default:
			literal.WriteByte(pattern[i])
		}
	}
	expression.WriteString(regexp.QuoteMeta(literal.String()) + `$`)
	compiled, err := regexp.Compile(expression.String())
	return func(value any, _ jsonpath.Scope) (bool, error) {
		if err != nil {
			return false, err
		}
		s, ok := value.(string)
		return ok && compiled.MatchString(s), nil
	}
}
