package expression

import (
	"maps"
	"strings"
)

// Update is a parsed UpdateExpression.
type Update struct {
	set    []assignment
	remove []path
}

type assignment struct {
	target path
	value  term
}

// term computes the value of an assignment from the item as it was.
type term interface {
	evaluate(item Item) (Value, error)
}

// ParseUpdate reads an update: SET and REMOVE, each at most once.
func ParseUpdate(source string, subs *Placeholders) (*Update, error) {
	return parse("UpdateExpression", source, subs, (*parser).update)
}

// Targets are the attributes that the update changes.
func (u *Update) Targets() []string {
	var names []string
	for _, a := range u.set {
		names = append(names, string(a.target))
	}
	for _, name := range u.remove {
		names = append(names, string(name))
	}
	return names
}

// Apply returns the item after the update. Every value is computed from the
// item before it.
func (u *Update) Apply(item Item) (Item, error) {
	out := maps.Clone(item)
	for _, a := range u.set {
		value, err := a.value.evaluate(item)
		if err != nil {
			return nil, err
		}
		out[string(a.target)] = value
	}
	for _, name := range u.remove {
		delete(out, string(name))
	}
	return out, nil
}

func (p *parser) update() (*Update, error) {
	u, seen := new(Update), make(map[string]bool)
	for p.peek() != "" {
		section := strings.ToUpper(p.peek())
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
	changed := make(map[string]bool)
	for _, name := range u.Targets() {
		if changed[name] {
			return nil, validationError("Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [%s], path two: [%s]", name, name)
		}
		changed[name] = true
	}
	return u, nil
}

func (p *parser) assignment() (assignment, error) {
	target, err := p.path()
	if err != nil {
		return assignment{}, err
	}
	if err := p.expect("="); err != nil {
		return assignment{}, err
	}
	value, err := p.term()
	if err != nil {
		return assignment{}, err
	}
	if operator := p.peek(); operator == "+" || operator == "-" {
		p.next++
		right, err := p.term()
		if err != nil {
			return assignment{}, err
		}
		value = sumTerm{operator, value, right}
	}
	return assignment{target, value}, nil
}

// term reads an operand or if_not_exists(path, term).
func (p *parser) term() (term, error) {
	if p.peek() != fnIfNotExists {
		o, err := p.operand()
		return operandTerm{o}, err
	}
	p.next++
	if err := p.expect("("); err != nil {
		return nil, err
	}
	attribute, err := p.path()
	if err != nil {
		return nil, err
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	otherwise, err := p.term()
	if err != nil {
		return nil, err
	}
	return ifNotExistsTerm{attribute, otherwise}, p.expect(")")
}

type (
	operandTerm     struct{ operand }
	ifNotExistsTerm struct {
		attribute path
		otherwise term
	}
	sumTerm struct {
		operator    string
		left, right term
	}
)

func (c operandTerm) evaluate(item Item) (Value, error) {
	value, there := c.valueIn(item)
	if !there {
		return Value{}, validationError("The provided expression refers to an attribute that does not exist in the item")
	}
	return value, nil
}

func (c ifNotExistsTerm) evaluate(item Item) (Value, error) {
	if value, there := c.attribute.valueIn(item); there {
		return value, nil
	}
	return c.otherwise.evaluate(item)
}

func (c sumTerm) evaluate(item Item) (Value, error) {
	left, err := c.left.evaluate(item)
	if err != nil {
		return Value{}, err
	}
	right, err := c.right.evaluate(item)
	if err != nil {
		return Value{}, err
	}
	if left.Kind != Number || right.Kind != Number {
		return Value{}, validationError("An operand in the update expression has an incorrect data type")
	}
	total, err := addNumbers(left.Text, right.Text, c.operator == "-")
	return Value{Kind: Number, Text: total}, err
}
