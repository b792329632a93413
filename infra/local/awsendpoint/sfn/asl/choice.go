package asl

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// Rule decides whether a Choice goes its way. A variable that is not there is
// an *InvalidPathError.
type Rule func(scope jsonpath.Scope) (bool, error)

// InvalidPathError says that a rule's path leads nowhere.
type InvalidPathError struct{ Path string }

func (e *InvalidPathError) Error() string {
	return fmt.Sprintf("Invalid path '%s': The choice state's condition path references an invalid value.", e.Path)
}

func (o *object) choice() *Choice {
	o.require("Choices")
	c := &Choice{Default: o.text("Default")}
	list := o.list("Choices")
	if o.has("Choices") && len(list) == 0 {
		o.failAt("Choices", "Array must have at least 1 element")
	}
	for _, branch := range list {
		branch.require("Next")
		c.Rules = append(c.Rules, Branch{Next: branch.text("Next"), Rule: branch.rule()})
	}
	return c
}

// rule reads And, Or, Not or a comparison. A nested rule has no Next.
func (o *object) rule() Rule {
	o.text("Comment")
	var r Rule
	switch {
	case o.has("And"):
		r = combine(o.nested("And"), false)
	case o.has("Or"):
		r = combine(o.nested("Or"), true)
	case o.has("Not"):
		text, _ := o.take("Not")
		r = negate(newObject(text, o.at+"/Not", o.faults).rule())
	default:
		r = o.comparison()
	}
	o.done("a Choice Rule")
	return r
}

func (o *object) nested(name string) []Rule {
	list := o.list(name)
	if len(list) == 0 {
		o.failAt(name, "Array must have at least 1 element")
	}
	rules := make([]Rule, len(list))
	for i, inner := range list {
		rules[i] = inner.rule()
	}
	return rules
}

// combine is Or where the first match decides, And where the first miss does.
func combine(rules []Rule, decisive bool) Rule {
	return func(scope jsonpath.Scope) (bool, error) {
		for _, rule := range rules {
			if matched, err := rule(scope); err != nil || matched == decisive {
				return matched, err
			}
		}
		return !decisive, nil
	}
}

func negate(rule Rule) Rule {
	return func(scope jsonpath.Scope) (bool, error) {
		matched, err := rule(scope)
		return !matched, err
	}
}

// comparison reads a Variable and its one operator.
func (o *object) comparison() Rule {
	o.require("Variable")
	variable := o.path("Variable")
	var operators []string
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if !o.read[name] && name != "Next" {
			operators = append(operators, name)
		}
	}
	if len(operators) != 1 {
		o.fail("A Choice Rule must have exactly one operator, not %q", operators)
		return nil
	}
	test := o.operator(operators[0])
	if variable == nil || test == nil {
		return nil
	}
	present := operators[0] == "IsPresent"
	return func(scope jsonpath.Scope) (bool, error) {
		value, err := variable.Get(scope)
		var missing *jsonpath.MissingError
		switch {
		case errors.As(err, &missing) && present:
			return test(absent{}, scope)
		case errors.As(err, &missing):
			return false, &InvalidPathError{Path: missing.Path}
		case err != nil:
			return false, err
		}
		return test(value, scope)
	}
}

// absent stands for a variable that is not there, for IsPresent.
type absent struct{}
