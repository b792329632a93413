package expression

// Condition reports whether an item satisfies a condition; an item that does not exist is nil. A
// comparison with a missing attribute or one of another type is false.
type Condition func(Item) bool

// ParseCondition parses a ConditionExpression.
func ParseCondition(source string, subs *Placeholders) (Condition, error) {
	return parse("ConditionExpression", source, subs, (*parser).parseOr)
}

// parseOr parses: and { OR and }
func (p *parser) parseOr() (Condition, error) {
	left, err := p.parseAnd()
	for err == nil && p.accept("OR") {
		var right Condition
		right, err = p.parseAnd()
		left = orCondition(left, right)
	}
	return left, err
}

// parseAnd parses: test { AND test }
func (p *parser) parseAnd() (Condition, error) {
	left, err := p.test()
	for err == nil && p.accept("AND") {
		var right Condition
		right, err = p.test()
		left = andCondition(left, right)
	}
	return left, err
}

func orCondition(left, right Condition) Condition {
	return func(item Item) bool { return left(item) || right(item) }
}

func andCondition(left, right Condition) Condition {
	return func(item Item) bool { return left(item) && right(item) }
}

// test parses: "(" or ")" | attribute_not_exists "(" path ")" | path operator value
func (p *parser) test() (Condition, error) {
	switch {
	case p.accept("("):
		inner, err := p.parseOr()
		if err != nil {
			return nil, err
		}
		return inner, p.expect(")")
	case p.acceptCall(fnNotExists):
		name, err := p.path()
		if err != nil {
			return nil, err
		}
		return func(item Item) bool {
			_, exists := item[name]
			return !exists
		}, p.expect(")")
	case p.keyword() == "NOT":
		return nil, unsupported("the operator NOT")
	}
	return p.comparison()
}

func (p *parser) comparison() (Condition, error) {
	name, err := p.path()
	if err != nil {
		return nil, err
	}
	operator, err := p.operator()
	if err != nil {
		return nil, err
	}
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	return func(item Item) bool {
		attribute, exists := item[name]
		if !exists || attribute.Kind != value.Kind {
			return false
		}
		order := attribute.compare(value)
		return order < 0 && operator != "=" || order == 0 && operator != "<"
	}, nil
}

// operator parses =, < or <=.
func (p *parser) operator() (string, error) {
	operator := p.keyword()
	switch operator {
	case "=", "<", "<=":
		p.next++
		return operator, nil
	case "<>", ">", ">=", "BETWEEN", "IN":
		return "", unsupported("the operator " + operator)
	}
	return "", p.syntaxError()
}
