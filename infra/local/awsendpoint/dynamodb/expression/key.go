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
func ParseKeyCondition(source, partition, sort string, subs *Substitutes) (*KeyCondition, error) {
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
		case !found && key.takePartition(part, partition):
			found = true
		case key.Sort == nil && sort != "" && key.takeSort(part, sort):
		default:
			return nil, invalid("Query key condition not supported")
		}
	}
	if !found {
		return nil, invalid("Query condition missed key schema element: %s", partition)
	}
	return key, nil
}

func (k *KeyCondition) takePartition(part Condition, name string) bool {
	c, ok := part.(comparison)
	if !ok || c.operator != "=" || c.left != path(name) {
		return false
	}
	k.Partition, ok = text(c.right)
	return ok
}

// takeSort accepts the comparisons that a range of sort keys can answer.
func (k *KeyCondition) takeSort(part Condition, name string) (ok bool) {
	switch c := part.(type) {
	case comparison:
		if c.left != path(name) || c.operator == "<>" {
			return false
		}
		bound, isText := text(c.right)
		if c.operator == "=" || c.operator[0] == '>' {
			k.From = bound
		}
		ok = isText
	case betweenCondition:
		if c.value != path(name) {
			return false
		}
		_, highIsText := text(c.high)
		k.From, ok = text(c.low)
		ok = ok && highIsText
	case beginsWith:
		if c.value != path(name) {
			return false
		}
		k.Prefix, ok = text(c.prefix)
		k.From = k.Prefix
	}
	if ok {
		k.Sort = part
	}
	return ok
}

func text(o operand) (string, bool) {
	l, ok := o.(literal)
	return l.Text, ok && l.Kind == String
}
