// Package user is the import type USER: accounts, known by id or by e-mail address.
package user

import (
	_ "embed"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports users.
type Type struct{ entity.Table }

// New returns the type.
func New() *Type {
	return &Type{entity.Table{
		Name:            "users",
		Keys:            []entity.Key{{Field: "ID"}, {Field: "EMAIL"}},
		UpdatedAtColumn: "updated_at",
	}}
}

// headers holds the field headers in languages other than English.
//
//go:embed headers.txt
var headers string

// Declaration returns the fields and properties of the type. Maximum lengths are those of RFC 5321
// (an address) and of common directories.
func (*Type) Declaration() *entity.Declaration { return &declaration }

var declaration = entity.Declaration{
	Name: "USER", Resource: "users", Title: "Users",
	Subjects: []string{"user", "account"},
	Modes:    []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert},
	Export:   &entity.Export{Table: "users", Key: "id"},
	Fields: entity.WithTranslatedHeaders(headers, []entity.Field{
		{Name: "ID", Column: "id", Title: "Id", Kind: entity.UUID, Identifying: true, Default: "gen_random_uuid()",
			Concepts: []string{"record.id"}, Aliases: []string{"User id", "UUID", "Identifier"}},
		{Name: "EMAIL", Column: "email", Title: "Email", Kind: entity.Email, Identifying: true, Required: true, MaxLength: 254,
			Concepts: []string{"contact.email", "contact.workEmail"}, Aliases: []string{"E-mail", "Mail", "Email address", "E-mail address", "Mail address", "Primary email"}},
		{Name: "NAME", Column: "name", Title: "Name", Kind: entity.Text, Required: true, MaxLength: 200,
			Concepts: []string{"person.fullName", "record.name"}, Aliases: []string{"Full name", "Display name", "User name"}},
		{Name: "ROLE", Column: "role", Title: "Role", Kind: entity.Text, MaxLength: 50, Default: "'user'",
			Concepts: []string{"account.role"}, Aliases: []string{"User role", "Access level"}},
		{Name: "ACTIVE", Column: "active", Title: "Active", Kind: entity.Boolean, Default: "true",
			Concepts: []string{"account.active"}, Aliases: []string{"Is active", "Enabled"}},
		{Name: "CREATED_AT", Column: "created_at", Title: "Created at", Kind: entity.Timestamp, Default: "now()",
			Concepts: []string{"record.created"}, Aliases: []string{"Created", "Creation date", "Creation time", "Registered at"}},
		{Name: "UPDATED_AT", Column: "updated_at", Title: "Updated at", Kind: entity.Timestamp, Default: "now()",
			Concepts: []string{"record.updated"}, Aliases: []string{"Updated", "Last updated", "Modified", "Last modified", "Changed at", "Last changed"}},
	}),
}
