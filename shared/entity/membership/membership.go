// Package membership implements the import type MEMBERSHIP: each row makes a person a member of the
// organisation for the period of the import. A person who is unknown is created.
//
// Tested by shared/entity/entitytest and shared/step: generated rows and whole imports.
package membership

import (
	_ "embed"

	countrynames "github.com/loadbay/loadbay/shared/country"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports memberships.
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
	gender
	phone
	country
	membershipType
	membershipNumber
	joinedOn
)

// person has the fields of the member, joined as p in exports.
var person = entity.PersonFields("p")

var declaration = entity.Declaration{
	Name: "MEMBERSHIP", Resource: "memberships", Title: "Memberships",
	Subjects: []string{"member", "person", "membership"},
	Modes:    []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert},
	Context:  &entity.Context{Param: "periodId", Title: "membership period", Table: "membership_periods"},
	Facade:   &entity.Facade{Upload: "/api/memberships/import", Result: "/api/memberships/import/{importId}"},
	Export: &entity.Export{
		Table: "memberships", Key: "id", Context: "period_id",
		RelatedTables: map[string]string{"person_id": "persons"},
		Joins: `
			JOIN persons AS p ON p.organisation_id = e.organisation_id AND p.id = e.person_id
			JOIN membership_types AS t ON t.organisation_id = e.organisation_id AND t.id = e.type_id
			LEFT JOIN countries AS c ON c.id = p.country_id`,
	},
	Owner: &entity.Owner{Column: "person_id", Table: entity.PersonTable},
	Rules: []entity.Rule{entity.RequirePersonIdentifier()},
	Fields: entity.WithTranslatedHeaders(headers, []entity.Field{
		firstName:      person.FirstName,
		lastName:       person.LastName,
		email:          person.Email,
		identityNumber: person.IdentityNumber,
		birthDate:      person.BirthDate,
		gender: {Name: "GENDER", Column: "gender", Expr: "p.gender", Title: "Gender", Kind: entity.Enum, Enum: []string{"FEMALE", "MALE", "OTHER"}, Personal: true, Table: entity.PersonTable,
			Concepts: []string{"person.gender"}, Aliases: []string{"Sex", "Male/Female"},
			Synonyms: []entity.Synonym{
				{Word: "f", Value: "FEMALE"}, {Word: "w", Value: "FEMALE"}, {Word: "woman", Value: "FEMALE"},
				{Word: "m", Value: "MALE"}, {Word: "man", Value: "MALE"},
				{Word: "x", Value: "OTHER"}, {Word: "d", Value: "OTHER"}, {Word: "diverse", Value: "OTHER"},
			}},
		phone: {Name: "PHONE", Column: "phone", Expr: "p.phone", Title: "Phone", Kind: entity.Text, Content: entity.PhoneNumbers, MaxLength: 40, Personal: true, Table: entity.PersonTable,
			Concepts: []string{"contact.phone", "contact.mobile"}, Aliases: []string{"Telephone", "Mobile", "Cell", "Cellphone", "Phone number", "Mobile number", "Mobile phone", "Mobile phone number", "Cell phone number", "Contact number", "Contact phone", "Handy"}},
		country: {Name: "ID_COUNTRY", Column: "country_id", Expr: "c.code", Title: "Country", Kind: entity.Reference, Lookup: &countryLookup, Content: entity.CountryNames, Personal: true, Table: entity.PersonTable,
			Concepts: []string{"address.country", "person.nationality"}, Aliases: []string{"Country code", "Country name", "Nationality", "Nation"}},
		membershipType: {Name: "MEMBERSHIP_TYPE_ID", Column: "type_id", Expr: "t.name", Title: "Membership type", Kind: entity.Reference, Required: true, Lookup: &membershipTypeLookup,
			Concepts: []string{"member.type"}, Aliases: []string{"Type", "Category", "Membership", "Membership category", "Member type", "Membership type id", "Membership level", "Membership plan", "Membership tier"}},
		membershipNumber: {Name: "MEMBERSHIP_NUMBER", Column: "membership_number", Title: "Membership number", Kind: entity.Text, Identifying: true, MaxLength: 50, Personal: true,
			Concepts: []string{"member.number"}, Aliases: []string{"Member number", "Member no", "Membership no", "Member id", "Lidnommer"}},
		joinedOn: {Name: "JOINED_ON", Column: "joined_on", Title: "Joined on", Kind: entity.Date,
			Concepts: []string{"member.joined"}, Aliases: []string{"Join date", "Joined", "Member since", "Start date"}},
	}),
}

// Files refer to a country by its two- or three-letter code or its name, in one of many
// languages. Its id is its numeric code.
var countryLookup = entity.Lookup{
	Match: `
		SELECT v.place, c.id::int8
		FROM unnest($1) WITH ORDINALITY AS v(word, place)
		JOIN (
			SELECT id, code AS word FROM countries
			UNION
			SELECT id, iso3 FROM countries
			UNION
			SELECT id, upper(name) FROM countries
		) AS c ON c.word = upper(v.word) -- a hash join: each word is looked at once
		WHERE $2 IS NOT NULL`,
	Candidates: `
		SELECT id::int8 AS id, name
		FROM countries
		WHERE $1::int8 IS NOT NULL
		ORDER BY name`,
	Translate:  countrynames.Code,
	OtherNames: countrynames.Names,
}

// Files refer to a membership type by its id or its name.
var membershipTypeLookup = entity.Lookup{
	Match: `
		SELECT v.place, min(t.id)
		FROM unnest($1) WITH ORDINALITY AS v(word, place)
		JOIN (
			SELECT id, id::text AS word FROM membership_types
			UNION
			SELECT id, lower(name) FROM membership_types
		) AS t ON t.word = lower(v.word) -- a hash join: each word is looked at once
		WHERE $2 IS NOT NULL
		GROUP BY v.place
		HAVING count(*) = 1`,
	Candidates: `
		SELECT id, name
		FROM membership_types
		WHERE $1::int8 IS NOT NULL
		ORDER BY name, id`,
	Create: `
		WITH named AS (
			SELECT v.name, v.place
			FROM unnest($3) WITH ORDINALITY AS v(name, place)
			WHERE $2 IS NOT NULL
		), made AS (
			INSERT INTO membership_types AS t (organisation_id, name)
			SELECT DISTINCT ON (lower(name)) $1, name
			FROM named
			ORDER BY lower(name), place
			ON CONFLICT (organisation_id, lower(name)) DO UPDATE
			SET name = t.name -- as it is; only so is it returned, whoever made it
			RETURNING t.id, t.name
		)
		SELECT named.place, made.id
		FROM named
		JOIN made ON lower(made.name) = lower(named.name)`,
}
