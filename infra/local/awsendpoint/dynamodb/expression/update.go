package expression

import (
	"maps"
	"slices"
)

// Update is a parsed UpdateExpression.
type Update struct {
	set    []assignment
	remove []string
}

// assignment assigns a value, or the value of an attribute if that exists, plus a number.
type assignment struct {
	target    string
	attribute string // "" for none
	value     Value
	plus      *Value // nil for none
}

// ParseUpdate parses an update: SET and REMOVE, each at most once.
func ParseUpdate(source string, subs *Placeholders) (*Update, error) {
	return parse("UpdateExpression", source, subs, (*parser).update)
}

// Targets are the attributes that the update changes.
func (u *Update) Targets() []string {
	targets := slices.Clone(u.remove)
	for _, a := range u.set {
		targets = append(targets, a.target)
	}
	return targets
}

// Apply returns the item after the update. Every value is computed from the original item.
func (u *Update) Apply(item Item) (Item, error) {
	out := maps.Clone(item)
	for _, a := range u.set {
		value, err := a.evaluate(item)
		if err != nil {
			return nil, err
		}
		out[a.target] = value
	}
	for _, name := range u.remove {
		delete(out, name)
	}
	return out, nil
}

func (a assignment) evaluate(item Item) (Value, error) {
	value := a.value
	if existing, exists := item[a.attribute]; exists {
		value = existing
	}
	if a.plus == nil {
		return value, nil
	}
	if value.Kind != Number || a.plus.Kind != Number {
		return Value{}, validationError("An operand in the update expression has an incorrect data type")
	}
	sum := value.Number + a.plus.Number
	if (sum > value.Number) != (a.plus.Number > 0) {
		return Value{}, validationError("Number overflow. The local DynamoDB implements only 64-bit integers")
	}
	return Value{Kind: Number, Number: sum}, nil
}

func (p *parser) update() (*Update, error) {
	u, seen := new(Update), make(map[string]bool)
	for p.peek() != "" {
		section := p.keyword()
		if seen[section] {
			return nil, validationError("The %q section can only be used once in an update expression;", section)
		}
		seen[section] = true
		var err error
		switch section {
		case "SET":
			p.next++
			u.set, err = parseList(p, p.assignment)
		case "REMOVE":
			p.next++
			u.remove, err = parseList(p, p.path)
		case "ADD", "DELETE":
			err = unsupported("the update action " + section)
		default:
			err = p.syntaxError()
		}
		if err != nil {
			return nil, err
		}
	}
	return u, checkOverlap(u.Targets())
}

// assignment parses: path = ( value | if_not_exists "(" path "," value ")" ) [ + value ]
func (p *parser) assignment() (a assignment, err error) {
	if a.target, err = p.path(); err != nil {
		return a, err
	}
	if err = p.expect("="); err != nil {
		return a, err
	}
	call := p.acceptCall(fnIfNotExists)
	if call {
		if a.attribute, err = p.path(); err != nil {
			return a, err
		}
		if err = p.expect(","); err != nil {
			return a, err
		}
	}
	if a.value, err = p.value(); err != nil {
		return a, err
	}
	if call {
		if err = p.expect(")"); err != nil {
			return a, err
		}
	}
	switch {
	case p.peek() == "-":
		return a, unsupported("the operator -")
	case p.accept("+"):
		plus, err := p.value()
		a.plus = &plus
		return a, err
	}
	return a, nil
}
