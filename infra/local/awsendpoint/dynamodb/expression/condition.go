package expression

import (
	"bytes"
	"slices"
	"strings"
)

// Condition is a condition or filter on an item. Attributes that are not there,
// or of another type, make a comparison false, except <>.
type Condition interface {
	// Holds reports whether an item satisfies the condition; an item that does
	// not exist is nil.
	Holds(item Item) bool
	// attributes adds the names that the condition mentions.
	attributes(names map[string]bool)
}

// ParseCondition reads a condition. what is its name in the request, such as
// ConditionExpression.
func ParseCondition(what, source string, subs *Substitutes) (Condition, error) {
	return parse(what, source, subs, (*parser).parseOr)
}

// Mentions reports whether a condition uses an attribute.
func Mentions(c Condition, name string) bool {
	names := make(map[string]bool)
	c.attributes(names)
	return names[name]
}

type (
	andCondition struct{ left, right Condition }
	orCondition  struct{ left, right Condition }
	notCondition struct{ inner Condition }

	comparison struct {
		operator    string
		left, right operand
	}
	betweenCondition struct{ value, low, high operand }
	oneOf            struct {
		value   operand
		choices []operand
	}
	exists struct {
		attribute path
		want      bool
	}
	beginsWith struct{ value, prefix operand }
	contains   struct{ value, element operand }
)

// Holds implements Condition.
func (c andCondition) Holds(item Item) bool { return c.left.Holds(item) && c.right.Holds(item) }

// Holds implements Condition.
func (c orCondition) Holds(item Item) bool { return c.left.Holds(item) || c.right.Holds(item) }

// Holds implements Condition.
func (c notCondition) Holds(item Item) bool { return !c.inner.Holds(item) }

// Holds implements Condition.
func (c comparison) Holds(item Item) bool {
	left, there := c.left.in(item)
	right, alsoThere := c.right.in(item)
	equal := there && alsoThere && left.Equal(right)
	switch c.operator {
	case "=":
		return equal
	case "<>":
		return !equal
	}
	if !there || !alsoThere {
		return false
	}
	order, ordered := left.compare(right)
	return ordered && satisfies(order, c.operator)
}

func satisfies(order int, operator string) bool {
	switch operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	default: // ">="
		return order >= 0
	}
}

// Holds implements Condition.
func (c betweenCondition) Holds(item Item) bool {
	return comparison{">=", c.value, c.low}.Holds(item) && comparison{"<=", c.value, c.high}.Holds(item)
}

// Holds implements Condition.
func (c oneOf) Holds(item Item) bool {
	return slices.ContainsFunc(c.choices, func(choice operand) bool {
		return comparison{"=", c.value, choice}.Holds(item)
	})
}

// Holds implements Condition.
func (c exists) Holds(item Item) bool {
	_, there := c.attribute.in(item)
	return there == c.want
}

// Holds implements Condition.
func (c beginsWith) Holds(item Item) bool {
	value, there := c.value.in(item)
	prefix, alsoThere := c.prefix.in(item)
	if !there || !alsoThere || value.Kind != prefix.Kind {
		return false
	}
	return value.Kind == String && strings.HasPrefix(value.Text, prefix.Text) ||
		value.Kind == Binary && bytes.HasPrefix(value.Bytes, prefix.Bytes)
}

// Holds implements Condition.
func (c contains) Holds(item Item) bool {
	value, there := c.value.in(item)
	element, alsoThere := c.element.in(item)
	if !there || !alsoThere {
		return false
	}
	switch value.Kind {
	case String:
		return element.Kind == String && strings.Contains(value.Text, element.Text)
	case Binary:
		return element.Kind == Binary && bytes.Contains(value.Bytes, element.Bytes)
	case StringSet:
		return element.Kind == String && slices.Contains(value.Texts, element.Text)
	case NumberSet:
		return element.Kind == Number && slices.Contains(value.Texts, element.Text)
	case BinarySet:
		return element.Kind == Binary && slices.ContainsFunc(value.Blobs, func(b []byte) bool { return bytes.Equal(b, element.Bytes) })
	}
	return slices.ContainsFunc(value.List, element.Equal)
}

func (c andCondition) attributes(names map[string]bool) {
	c.left.attributes(names)
	c.right.attributes(names)
}
func (c orCondition) attributes(names map[string]bool) {
	c.left.attributes(names)
	c.right.attributes(names)
}
func (c notCondition) attributes(names map[string]bool)     { c.inner.attributes(names) }
func (c comparison) attributes(names map[string]bool)       { mention(names, c.left, c.right) }
func (c betweenCondition) attributes(names map[string]bool) { mention(names, c.value, c.low, c.high) }
func (c exists) attributes(names map[string]bool)           { mention(names, c.attribute) }
func (c beginsWith) attributes(names map[string]bool)       { mention(names, c.value, c.prefix) }
func (c contains) attributes(names map[string]bool)         { mention(names, c.value, c.element) }
func (c oneOf) attributes(names map[string]bool)            { mention(names, append(c.choices, c.value)...) }

func mention(names map[string]bool, operands ...operand) {
	for _, o := range operands {
		if name, ok := o.(path); ok {
			names[string(name)] = true
		}
	}
}
