// Package event is the import type EVENT: events with participants, such as races.
//
// Tested by shared/entity/entitytest: generated rows.
package event

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports events.
type Type struct{ entity.Table }

// New returns the type.
func New() *Type {
	return &Type{entity.Table{Name: "events", Keys: []entity.Key{{Field: "NAME"}}}}
}

// Declaration returns the fields and properties of the type.
func (*Type) Declaration() *entity.Declaration { return &declaration }

var declaration = entity.Declaration{
	Name: "EVENT", Resource: "events", Title: "Events",
	Subjects: []string{"event", "race"},
	Modes:    []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert},
	Export:   &entity.Export{Table: "events", Key: "id"},
	Fields: []entity.Field{
		{Name: "NAME", Column: "name", Title: "Name", Kind: entity.Text, Identifying: true, AllowedPlaceholders: entity.NameWords(), Required: true, MaxLength: 200,
			Concepts: []string{"event.name", "record.name", "record.title"}, Aliases: []string{"Event", "Race", "Competition", "Title", "Veranstaltung", "Événement", "Evento", "Nom", "Nombre", "Naam"}},
		{Name: "STARTS_ON", Column: "starts_on", Title: "Starts on", Kind: entity.Date,
			Concepts: []string{"event.date", "date.start", "record.date"}, Aliases: []string{"Start", "Start date", "Date", "Day", "Event date", "Datum", "Beginn", "Beginnt am", "Date de début", "Fecha", "Fecha de inicio", "Begindatum"}},
	},
}
