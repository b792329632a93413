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
	Matches(item Item) bool
	// attributes adds the names that the condition mentions.
	attributes(names map[string]bool)
}

// ParseCondition reads a condition. what is its name in the request, such as
// ConditionExpression.
func ParseCondition(what, source string, subs *Placeholders) (Condition, error) {
	return parse(what, source, subs, (*parser).parseOr)
}

// UsesAttribute reports whether a condition uses an attribute.
func UsesAttribute(c Condition, name string) bool {
	names := make(map[string]bool)
	c.attributes(names)
	return names[name]
}

type (
	andCondition struct{ left, right Condition }
	orCondition  struct{ left, right Condition }
	notCondition struct{ inner Condition }

	comparisonCondition struct {
		operator    string
		left, right operand
	}
	betweenCondition struct{ value, low, high operand }
	inCondition      struct {
		value   operand
		choices []operand
	}
	existsCondition struct {
		attribute path
		want      bool
	}
	beginsWithCondition struct{ value, prefix operand }
	containsCondition   struct{ value, element operand }
)

// Matches implements Condition.
func (c andCondition) Matches(item Item) bool { return c.left.Matches(item) && c.right.Matches(item) }

// Matches implements Condition.
func (c orCondition) Matches(item Item) bool { return c.left.Matches(item) || c.right.Matches(item) }

// Matches implements Condition.
func (c notCondition) Matches(item Item) bool { return !c.inner.Matches(item) }

// Matches implements Condition.
func (c comparisonCondition) Matches(item Item) bool {
	left, there := c.left.valueIn(item)
	right, alsoThere := c.right.valueIn(item)
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

// Matches implements Condition.
func (c betweenCondition) Matches(item Item) bool {
	return comparisonCondition{">=", c.value, c.low}.Matches(item) && comparisonCondition{"<=", c.value, c.high}.Matches(item)
}

// Matches implements Condition.
func (c inCondition) Matches(item Item) bool {
	return slices.ContainsFunc(c.choices, func(choice operand) bool {
		return comparisonCondition{"=", c.value, choice}.Matches(item)
	})
}

// Matches implements Condition.
func (c existsCondition) Matches(item Item) bool {
	_, there := c.attribute.valueIn(item)
	return there == c.want
}

// Matches implements Condition.
func (c beginsWithCondition) Matches(item Item) bool {
	value, there := c.value.valueIn(item)
	prefix, alsoThere := c.prefix.valueIn(item)
	if !there || !alsoThere || value.Kind != prefix.Kind {
		return false
	}
	return value.Kind == String && strings.HasPrefix(value.Text, prefix.Text) ||
		value.Kind == Binary && bytes.HasPrefix(value.Bytes, prefix.Bytes)
}

// Matches implements Condition.
func (c containsCondition) Matches(item Item) bool {
	value, there := c.value.valueIn(item)
	element, alsoThere := c.element.valueIn(item)
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
func (c notCondition) attributes(names map[string]bool)        { c.inner.attributes(names) }
func (c comparisonCondition) attributes(names map[string]bool) { addAttribute(names, c.left, c.right) }
func (c betweenCondition) attributes(names map[string]bool) {
	addAttribute(names, c.value, c.low, c.high)
}
func (c existsCondition) attributes(names map[string]bool) { addAttribute(names, c.attribute) }
func (c beginsWithCondition) attributes(names map[string]bool) {
	addAttribute(names, c.value, c.prefix)
}
func (c containsCondition) attributes(names map[string]bool) { addAttribute(names, c.value, c.element) }
func (c inCondition) attributes(names map[string]bool) {
	addAttribute(names, append(c.choices, c.value)...)
}

func addAttribute(names map[string]bool, operands ...operand) {
	for _, o := range operands {
		if name, ok := o.(path); ok {
			names[string(name)] = true
		}
	}
}
