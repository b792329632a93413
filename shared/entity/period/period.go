// Package period implements the import type PERIOD: membership periods, such as years.
package period

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports membership periods.
type Type struct{ entity.Table }

// New returns the type.
func New() *Type {
	return &Type{entity.Table{Name: "membership_periods", Keys: []entity.Key{{Field: "NAME"}}}}
}

// Declaration returns the fields and properties of the type.
func (*Type) Declaration() *entity.Declaration { return &declaration }

// Indexes of the fields in the declaration.
const (
	name = iota
	startsOn
	endsOn
)

var declaration = entity.Declaration{
	Name: "PERIOD", Resource: "periods", Title: "Membership periods",
	Subjects: []string{"period", "membership period", "season"},
	Modes:    []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert},
	Export:   &entity.Export{Table: "membership_periods", Key: "id"},
	Rules:    []entity.Rule{{Kind: entity.InOrder, Fields: []string{"STARTS_ON", "ENDS_ON"}, Field: "ENDS_ON", Message: "The period ends before it starts."}},
	Fields: []entity.Field{
		name: {Name: "NAME", Column: "name", Title: "Name", Kind: entity.Text, Identifying: true, AllowedPlaceholders: entity.NameWords(), Required: true, MaxLength: 200,
			Concepts: []string{"period.name", "record.name"}, Aliases: []string{"Period", "Membership period", "Season", "Year", "Zeitraum", "Saison", "Nom", "Nombre", "Naam"}},
		startsOn: {Name: "STARTS_ON", Column: "starts_on", Title: "Starts on", Kind: entity.Date, Required: true,
			Concepts: []string{"date.start"}, Aliases: []string{"Start", "Start date", "First day", "From", "Begins on", "Beginn", "Startdatum", "Beginnt am", "Début", "Date de début", "Fecha de inicio", "Begindatum"}},
		endsOn: {Name: "ENDS_ON", Column: "ends_on", Title: "Ends on", Kind: entity.Date, Required: true,
			Concepts: []string{"date.end"}, Aliases: []string{"End", "End date", "Last day", "To", "Until", "Ende", "Enddatum", "Endet am", "Fin", "Date de fin", "Fecha de fin", "Einddatum"}},
	},
}
