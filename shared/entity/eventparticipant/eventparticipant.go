// Package eventparticipant is the import type EVENT_PARTICIPANT: it enters people
// into an event.
package eventparticipant

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// Type imports the participants of an event.
type Type struct{}

// New returns the type.
func New() *Type { return &Type{} }

// Declaration says what a row of an event's roster consists of.
func (*Type) Declaration() *entity.Declaration { return &declaration }

// Places of the fields in the declaration.
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

// customPlaces is how many custom lists an event can have.
const customPlaces = 3

var declaration = entity.Declaration{
	Name: "EVENT_PARTICIPANT", Resource: "event_participants", Title: "Event participants",
	Subjects:  []string{"participant", "person", "athlete", "rider", "runner"},
	WholeFile: true,
	Modes:     []entity.Mode{entity.Upsert},
	Context:   &entity.Context{Param: "eventId", Title: "event", Table: "events"},
	Facade:    &entity.Facade{Upload: "/api/event-participants/import", Result: "/api/event-participants/import/{jobId}"},
	Export: &entity.Export{
		Table: "event_participants", Key: "id", Context: "event_id",
		Joins: `
			JOIN persons AS p ON p.organisation_id = e.organisation_id AND p.id = e.person_id
			JOIN event_categories AS c ON c.organisation_id = e.organisation_id AND c.id = e.category_id
			LEFT JOIN custom_list_values AS v1 ON v1.organisation_id = e.organisation_id AND v1.id = e.custom1_id
			LEFT JOIN custom_list_values AS v2 ON v2.organisation_id = e.organisation_id AND v2.id = e.custom2_id
			LEFT JOIN custom_list_values AS v3 ON v3.organisation_id = e.organisation_id AND v3.id = e.custom3_id`,
	},
	Options: []entity.Option{
		entity.Flag("createCustom1", "Whether values that the first custom list lacks are added to it", true),
		entity.Flag("createCustom2", "Whether values that the second custom list lacks are added to it", true),
		entity.Flag("createCustom3", "Whether values that the third custom list lacks are added to it", true),
	},
	Fields: []entity.Field{
		firstName: {Name: "FIRST_NAME", Column: "first_name", Source: "p.first_name", Title: "First name", Kind: entity.Text, Required: true, MaxLength: 100,
			Aliases: []string{"FN", "Given name", "Forename", "Name", "Vorname", "Prénom"}},
		lastName: {Name: "LAST_NAME", Column: "last_name", Source: "p.last_name", Title: "Last name", Kind: entity.Text, Required: true, MaxLength: 100,
			Aliases: []string{"LN", "Surname", "Family name", "Nachname", "Nom"}},
		email: {Name: "EMAIL", Column: "email", Source: "p.email", Title: "Email", Kind: entity.Email, MaxLength: 254,
			Aliases: []string{"E-mail", "Mail", "Email address", "E-mail address"}},
		identityNumber: {Name: "ID_NUMBER", Column: "identity_number", Source: "p.identity_number", Title: "Identity number", Kind: entity.Text, MaxLength: 50,
			Aliases: []string{"ID no", "National id", "Passport", "Passport number", "SA ID number"}},
		birthDate: {Name: "BIRTH_DATE", Column: "birth_date", Source: "p.birth_date", Title: "Date of birth", Kind: entity.Date,
			Aliases: []string{"DOB", "Birthday", "Birthdate", "Born"}},
		categoryName: {Name: "EVENT_CATEGORY_NAME", Column: "category", Source: "c.name", Title: "Category", Kind: entity.Text, Required: true, MaxLength: 200,
			Aliases: []string{"Event category", "Category name", "Race category", "Class", "Division"}},
		registrationNumber: {Name: "REGISTRATION_NUMBER", Column: "registration_number", Title: "Registration number", Kind: entity.Text, MaxLength: 50,
			Aliases: []string{"Registration", "Registration id", "Reg no", "Regid", "Entry number"}},
		raceNumber: {Name: "RACE_NUMBER", Column: "race_number", Title: "Race number", Kind: entity.Text, MaxLength: 20,
			Aliases: []string{"Bib", "Bib number", "Start number", "Number"}},
		custom1: {Name: "CUSTOM_LIST_1", Column: "custom1", Source: "v1.value", Title: "Custom 1", Kind: entity.Text, MaxLength: 200, Aliases: []string{"Custom list 1"}},
		custom2: {Name: "CUSTOM_LIST_2", Column: "custom2", Source: "v2.value", Title: "Custom 2", Kind: entity.Text, MaxLength: 200, Aliases: []string{"Custom list 2"}},
		custom3: {Name: "CUSTOM_LIST_3", Column: "custom3", Source: "v3.value", Title: "Custom 3", Kind: entity.Text, MaxLength: 200, Aliases: []string{"Custom list 3"}},
	},
}

// CheckRow asks for one thing by which the person can be recognised.
func (*Type) CheckRow(b *entity.Batch, i int) []entity.Fault {
	for _, field := range []int{identityNumber, email, birthDate} {
		if _, ok := b.Columns[field].Bytes(i); ok {
			return nil
		}
	}
	return []entity.Fault{{
		Field: declaration.Fields[email].Name, Code: problem.CellRequired,
		Message: "Give an e-mail address, an identity number or a date of birth, so that the person can be recognised.",
	}}
}
