package expression

// KeyCondition is a parsed KeyConditionExpression: a partition, and the beginning of the sort
// keys of its items ("" for all).
type KeyCondition struct{ Partition, Prefix string }

// ParseKeyCondition parses a condition on a partition key and a sort key, both strings:
// partition = :value [AND begins_with(sort, :value)].
func ParseKeyCondition(source, partition, sort string, subs *Placeholders) (KeyCondition, error) {
	return parse("KeyConditionExpression", source, subs, func(p *parser) (KeyCondition, error) {
		var key KeyCondition
		if err := p.keyAttribute(partition); err != nil {
			return key, err
		}
		operator, err := p.operator()
		if err != nil {
			return key, err
		}
		if operator != "=" {
			return key, unsupported("the operator " + operator)
		}
		if key.Partition, err = p.stringValue(); err != nil || !p.accept("AND") {
			return key, err
		}
		key.Prefix, err = p.sortPrefix(sort)
		return key, err
	})
}

func (p *parser) sortPrefix(sort string) (string, error) {
	if !p.acceptCall(fnBeginsWith) {
		if err := p.keyAttribute(sort); err != nil {
			return "", err
		}
		if _, err := p.operator(); err != nil {
			return "", err
		}
		return "", unsupported("the operator " + p.tokens[p.next-1].text + " on a sort key")
	}
	if err := p.keyAttribute(sort); err != nil {
		return "", err
	}
	if err := p.expect(","); err != nil {
		return "", err
	}
	prefix, err := p.stringValue()
	if err != nil {
		return "", err
	}
	return prefix, p.expect(")")
}

// keyAttribute parses the name of a key attribute.
func (p *parser) keyAttribute(want string) error {
	name, err := p.path()
	if err == nil && name != want {
		return validationError("Query condition missed key schema element: %s", want)
	}
	return err
}

// stringValue parses a :value that is a string.
func (p *parser) stringValue() (string, error) {
	value, err := p.value()
	if err == nil && value.Kind != String {
		return "", validationError("One or more parameter values were invalid: Condition parameter type does not match schema type")
	}
	return value.Text, err
}
