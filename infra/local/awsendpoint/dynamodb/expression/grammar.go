package expression

import "slices"

// The functions that are implemented.
const (
	fnExists      = "attribute_exists"
	fnMissing     = "attribute_not_exists"
	fnBeginsWith  = "begins_with"
	fnContains    = "contains"
	fnIfNotExists = "if_not_exists"
)

// parseOr reads: and { OR and }
func (p *parser) parseOr() (Condition, error) {
	left, err := p.parseAnd()
	for err == nil && p.accept("OR") {
		var right Condition
		right, err = p.parseAnd()
		left = orCondition{left, right}
	}
	return left, err
}

// parseAnd reads: not { AND not }
func (p *parser) parseAnd() (Condition, error) {
	left, err := p.parseNot()
	for err == nil && p.accept("AND") {
		var right Condition
		right, err = p.parseNot()
		left = andCondition{left, right}
	}
	return left, err
}

// parseNot reads: NOT not | "(" or ")" | a test
func (p *parser) parseNot() (Condition, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, validationError("The expression contains too many operators; max allowed operator count: %d", maxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept("NOT"):
		inner, err := p.parseNot()
		return notCondition{inner}, err
	case p.accept("("):
		inner, err := p.parseOr()
		if err != nil {
			return nil, err
		}
		return inner, p.expect(")")
	}
	return p.test()
}

// test reads a function or a comparison.
func (p *parser) test() (Condition, error) {
	if p.peek() != "" && p.isCall() {
		return p.call()
	}
	value, err := p.operand()
	if err != nil {
		return nil, err
	}
	switch operator := p.peek(); {
	case p.accept("BETWEEN"):
		return p.parseBetween(value)
	case p.accept("IN"):
		return p.parseIn(value)
	case slices.Contains([]string{"=", "<>", "<", "<=", ">", ">="}, operator):
		p.next++
		right, err := p.operand()
		if err != nil {
			return nil, err
		}
		if operator != "=" && operator != "<>" {
			if err := orderable(operator, value, right); err != nil {
				return nil, err
			}
		}
		return comparisonCondition{operator, value, right}, nil
	}
	return nil, p.syntaxError()
}

func (p *parser) parseBetween(value operand) (Condition, error) {
	low, err := p.operand()
	if err != nil {
		return nil, err
	}
	if err := p.expect("AND"); err != nil {
		return nil, err
	}
	high, err := p.operand()
	if err != nil {
		return nil, err
	}
	if l, ok := low.(literal); ok {
		if h, ok := high.(literal); ok {
			if order, same := Value(l).compare(Value(h)); !same || order > 0 {
				return nil, validationError("The BETWEEN operator requires lower and upper bounds of the same type, the upper not less than the lower")
			}
		}
	}
	return betweenCondition{value, low, high}, orderable("BETWEEN", value, low, high)
}

func (p *parser) parseIn(value operand) (Condition, error) {
	const most = 100
	if err := p.expect("("); err != nil {
		return nil, err
	}
	choices, err := parseList(p, p.operand)
	if err != nil {
		return nil, err
	}
	if len(choices) > most {
		return nil, validationError("Invalid number of operands for operator or function; operator or function: IN, number of operands: %d", len(choices))
	}
	return inCondition{value, choices}, p.expect(")")
}

// call reads a function that is a condition.
func (p *parser) call() (Condition, error) {
	name := p.peek()
	switch name {
	case fnExists, fnMissing:
		p.next += 2
		attribute, err := p.path()
		if err != nil {
			return nil, err
		}
		return existsCondition{attribute, name == fnExists}, p.expect(")")
	case fnBeginsWith, fnContains:
		p.next += 2
		arguments, err := parseList(p, p.operand)
		if err != nil {
			return nil, err
		}
		if len(arguments) != 2 {
			return nil, validationError("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", name, len(arguments))
		}
		if name == fnContains {
			return containsCondition{arguments[0], arguments[1]}, p.expect(")")
		}
		if l, ok := arguments[1].(literal); ok && l.Kind != String && l.Kind != Binary {
			return nil, validationError("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", name, l.Kind)
		}
		return beginsWithCondition{arguments[0], arguments[1]}, p.expect(")")
	}
	return nil, p.functionError(name)
}

// orderable refuses values that have no order where one is needed.
func orderable(operator string, operands ...operand) error {
	for _, o := range operands {
		if l, ok := o.(literal); ok && l.Kind != String && l.Kind != Number && l.Kind != Binary {
			return validationError("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", operator, l.Kind)
		}
	}
	return nil
}
