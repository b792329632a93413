package entity

// EventCategoryField returns the field for the name of a category of the file's event; exports
// read it from source.
func EventCategoryField(source string) Field {
	return Field{
		Name: "EVENT_CATEGORY_NAME", Column: "category", Expr: source, Title: "Category", Kind: Text, Required: true, MaxLength: maxNameRunes,
		Concepts: []string{"entry.category", "category:record.name"}, Aliases: []string{"Event category", "Category name", "Race category", "Class", "Division"}, Lookup: &categories,
	}
}

// Files refer to a category by its name.
var categories = Lookup{
	Match: `
		SELECT v.place, c.id
		FROM unnest($1) WITH ORDINALITY AS v(word, place)
		JOIN event_categories AS c ON c.event_id = $2 AND lower(c.name) = lower(v.word)`,
	Candidates: `
		SELECT id, name
		FROM event_categories
		WHERE event_id = $1
		ORDER BY name, id`,
	ContextScoped: true,
}
