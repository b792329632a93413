package expression

// Projection is the attributes that a reader asked for.
type Projection []string

// ParseProjection reads a ProjectionExpression.
func ParseProjection(source string, subs *Placeholders) (Projection, error) {
	return parse("ProjectionExpression", source, subs, func(p *parser) (Projection, error) {
		paths, err := parseList(p, p.path)
		if err != nil {
			return nil, err
		}
		names := make(Projection, len(paths))
		seen := make(map[path]bool, len(paths))
		for i, name := range paths {
			if seen[name] {
				return nil, validationError("Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [%s], path two: [%s]", name, name)
			}
			seen[name] = true
			names[i] = string(name)
		}
		return names, nil
	})
}

// Apply returns the chosen attributes that an item has.
func (p Projection) Apply(item Item) Item {
	out := make(Item, len(p))
	for _, name := range p {
		if value, ok := item[name]; ok {
			out[name] = value
		}
	}
	return out
}
