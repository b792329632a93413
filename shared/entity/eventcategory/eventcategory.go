// Package eventcategory is the import type EVENT_CATEGORY: the groups of the
// participants of one event.
package eventcategory

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports the categories of an event.
type Type struct{ entity.Table }

// New returns the type.
func New() *Type {
	return &Type{entity.Table{Name: "event_categories", Context: "event_id", Keys: []entity.Key{{Field: "NAME", CaseInsensitive: true}}}}
}

// Declaration returns the fields and properties of the type.
func (*Type) Declaration() *entity.Declaration { return &declaration }

var declaration = entity.Declaration{
	Name: "EVENT_CATEGORY", Resource: "event_categories", Title: "Event categories",
	Subjects: []string{"category", "event category"},
	Modes:    []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert},
	Context:  &entity.Context{Param: "eventId", Title: "event", Table: "events"},
	Export:   &entity.Export{Table: "event_categories", Key: "id", Context: "event_id"},
	Fields: []entity.Field{
		{Name: "NAME", Column: "name", Title: "Name", Kind: entity.Text, Identifying: true, AllowedPlaceholders: entity.NameWords(), Required: true, MaxLength: 200,
			Concepts: []string{"entry.category", "category:record.name", "record.name"}, Aliases: []string{"Category", "Event category", "Category name", "Class", "Group", "Kategorie", "Catégorie", "Categoría", "Nom", "Nombre", "Naam"}},
	},
}
