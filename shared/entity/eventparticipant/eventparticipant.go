// Package eventparticipant implements the import type EVENT_PARTICIPANT: each row enters a person in a
// category of an event. A person who is unknown is created.
//
// Tested by shared/step: whole imports on a real database.
package eventparticipant

import (
	_ "embed"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports the participants of an event.
type Type struct{}

// New returns the type.
func New() *Type { return &Type{} }

// headers holds the field headers in languages other than English.
//
//go:embed headers.txt
var headers string

// Declaration returns the fields and properties of the type.
func (*Type) Declaration() *entity.Declaration { return &declaration }

// Indexes of the fields in the declaration.
const (
	firstName = iota
	lastName
	email
	identityNumber
	birthDate
	categoryName
	registrationNumber
	raceNumber
	custom1
	custom2
	custom3
)

// customListCount is the number of custom lists that an event can have.
const customListCount = 3

// person has the fields of the participant, joined as p in exports.
var person = entity.PersonFields("p")

var declaration = entity.Declaration{
	Name: "EVENT_PARTICIPANT", Resource: "event_participants", Title: "Event participants",
	Subjects:  []string{"participant", "person", "athlete", "rider", "runner"},
	WholeFile: true,
	Modes:     []rowwrite.Mode{rowwrite.Upsert},
	Context:   &entity.Context{Param: "eventId", Title: "event", Table: "events"},
	Facade:    &entity.Facade{Upload: "/api/event-participants/import", Result: "/api/event-participants/import/{importId}"},
	Export: &entity.Export{
		Table: "event_participants", Key: "id", Context: "event_id",
		RelatedTables: map[string]string{"person_id": "persons"},
		Joins: `
			JOIN persons AS p ON p.organisation_id = e.organisation_id AND p.id = e.person_id
			JOIN event_categories AS c ON c.organisation_id = e.organisation_id AND c.id = e.category_id
			LEFT JOIN custom_list_values AS v1 ON v1.organisation_id = e.organisation_id AND v1.id = e.custom1_id
			LEFT JOIN custom_list_values AS v2 ON v2.organisation_id = e.organisation_id AND v2.id = e.custom2_id
			LEFT JOIN custom_list_values AS v3 ON v3.organisation_id = e.organisation_id AND v3.id = e.custom3_id`,
	},
	Options: []entity.Option{
		entity.BoolOption("createCustom1", "Whether new values are added to the first custom list", true),
		entity.BoolOption("createCustom2", "Whether new values are added to the second custom list", true),
		entity.BoolOption("createCustom3", "Whether new values are added to the third custom list", true),
	},
	Owner: &entity.Owner{Column: "person_id", Table: entity.PersonTable},
	Rules: []entity.Rule{entity.RequirePersonIdentifier()},
	Fields: entity.WithTranslatedHeaders(headers, []entity.Field{
		firstName:      person.FirstName,
		lastName:       person.LastName,
		email:          person.Email,
		identityNumber: person.IdentityNumber,
		birthDate:      person.BirthDate,
		categoryName:   entity.EventCategoryField("c.name"),
		registrationNumber: {Name: "REGISTRATION_NUMBER", Column: "registration_number", Title: "Registration number", Kind: entity.Text, Identifying: true, MaxLength: 50, Personal: true,
			Concepts: []string{"entry.number"}, Aliases: []string{"Registration", "Registration id", "Reg no", "Regid", "Entry number"}},
		raceNumber: {Name: "RACE_NUMBER", Column: "race_number", Title: "Race number", Kind: entity.Text, Identifying: true, AllowedPlaceholders: []string{"0", "00", "000"}, MaxLength: 20, Personal: true,
			Concepts: []string{"entry.bib"}, Aliases: []string{"Bib", "Bib number", "Start number", "Number"}},
		custom1: customField(1),
		custom2: customField(2),
		custom3: customField(3),
	}),
}
