package expression

// KeyCondition is a parsed KeyConditionExpression: the one partition, and which
// of its items.
type KeyCondition struct {
	Partition string
	// Sort decides about an item by its sort key; nil takes all.
	Sort Condition
	// From and Prefix say where such items begin in the order of sort keys:
	// none is before From, all begin with Prefix.
	From, Prefix string
}

// ParseKeyCondition reads a key condition on a partition key and a sort key
// ("" for none), both strings.
func ParseKeyCondition(source, partition, sort string, subs *Placeholders) (*KeyCondition, error) {
	condition, err := ParseCondition("KeyConditionExpression", source, subs)
	if err != nil {
		return nil, err
	}
	parts := []Condition{condition}
	if both, ok := condition.(andCondition); ok {
		parts = []Condition{both.left, both.right}
	}
	key := new(KeyCondition)
	found := false
	for _, part := range parts {
		switch {
		case !found && key.addPartition(part, partition):
			found = true
		case key.Sort == nil && sort != "" && key.addSort(part, sort):
		default:
			return nil, validationError("Query key condition not supported")
		}
	}
	if !found {
		return nil, validationError("Query condition missed key schema element: %s", partition)
	}
	return key, nil
}

func (k *KeyCondition) addPartition(part Condition, name string) bool {
	c, ok := part.(comparisonCondition)
	if !ok || c.operator != "=" || c.left != path(name) {
		return false
	}
	k.Partition, ok = stringLiteral(c.right)
	return ok
}

// addSort accepts the comparisons that a range of sort keys can answer.
func (k *KeyCondition) addSort(part Condition, name string) (ok bool) {
	switch c := part.(type) {
	case comparisonCondition:
		if c.left != path(name) || c.operator == "<>" {
			return false
		}
		bound, isText := stringLiteral(c.right)
		if c.operator == "=" || c.operator[0] == '>' {
			k.From = bound
		}
		ok = isText
	case betweenCondition:
		if c.value != path(name) {
			return false
		}
		_, highIsText := stringLiteral(c.high)
		k.From, ok = stringLiteral(c.low)
		ok = ok && highIsText
	case beginsWithCondition:
		if c.value != path(name) {
			return false
		}
		k.Prefix, ok = stringLiteral(c.prefix)
		k.From = k.Prefix
	}
	if ok {
		k.Sort = part
	}
	return ok
}

func stringLiteral(o operand) (string, bool) {
	l, ok := o.(literal)
	return l.Text, ok && l.Kind == String
}
