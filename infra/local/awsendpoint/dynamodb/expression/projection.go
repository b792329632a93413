package expression

// Projection is the list of requested attributes.
type Projection []string

// ParseProjection parses a ProjectionExpression.
func ParseProjection(source string, subs *Placeholders) (Projection, error) {
	return parse("ProjectionExpression", source, subs, func(p *parser) (Projection, error) {
		names, err := parseList(p, p.path)
		if err != nil {
			return nil, err
		}
		return names, checkOverlap(names)
	})
}

// Apply returns the requested attributes of an item.
func (p Projection) Apply(item Item) Item {
	out := make(Item, len(p))
	for _, name := range p {
		if value, ok := item[name]; ok {
			out[name] = value
		}
	}
	return out
}

// checkOverlap rejects an attribute that occurs twice.
func checkOverlap(names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return validationError("Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [%s], path two: [%s]", name, name)
		}
		seen[name] = true
	}
	return nil
}
