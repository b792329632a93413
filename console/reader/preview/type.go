package preview

import (
	"slices"

	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/content"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Type is an import type as the API describes it (ImportType), limited to the properties that
// column matching needs.
type Type struct {
	Subjects []string `json:"subjects"`
	Fields   []Field  `json:"fields"`
}

// missingTitles returns the titles of the required fields that are not among these.
func (t *Type) missingTitles(fields sheet.Fields) (titles []string) {
	for _, f := range t.Fields {
		if f.Required && !fields[f.Name] {
			titles = append(titles, f.Title)
		}
	}
	return titles
}

// Field is a field of a Type.
type Field struct {
	Name     string    `json:"name"`
	Column   string    `json:"column"`
	Title    string    `json:"title"`
	Kind     string    `json:"kind"`
	Required bool      `json:"isRequired"`
	Values   []string  `json:"values"`
	Synonyms []Synonym `json:"synonyms"`
	Pattern  string    `json:"pattern"`
	Content  string    `json:"content"`
	Aliases  []string  `json:"aliases"`
}

// Synonym is another word for one of a field's values.
type Synonym struct {
	Word string `json:"word"`
}

// kinds maps field kinds of the API to those of the matcher.
var kinds = map[string]mapping.Kind{
	"text": mapping.Text, "list": mapping.List, "email": mapping.Email, "enum": mapping.Choice, "uuid": mapping.UUID,
	"integer": mapping.Integer, "decimal": mapping.Decimal, "boolean": mapping.Boolean,
	"date": mapping.Date, "timestamp": mapping.Timestamp, "reference": mapping.Reference,
}

// contents maps the content names of the API to those of the matcher.
var contents = map[string]content.Kind{content.Phone.String(): content.Phone, content.Country.String(): content.Country}

// Dictionary returns the possible meanings of the type's headers.
func (t *Type) Dictionary() mapping.Dictionary {
	d := mapping.Dictionary{Subjects: t.Subjects, Targets: make([]mapping.Target, len(t.Fields))}
	for i, f := range t.Fields {
		words := slices.Clone(f.Values)
		for _, s := range f.Synonyms {
			words = append(words, s.Word)
		}
		d.Targets[i] = mapping.Target{
			Name: f.Name, Title: f.Title, Aliases: append(slices.Clone(f.Aliases), f.Column), Kind: kinds[f.Kind], Required: f.Required,
			Values: words, Pattern: f.Pattern, Content: contents[f.Content],
		}
	}
	return d
}
