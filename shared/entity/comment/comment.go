// Package comment is the import type COMMENT: comments by users on articles, known by id.
package comment

import (
	_ "embed"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports comments.
type Type struct{ entity.Table }

// New returns the type.
func New() *Type {
	return &Type{entity.Table{
		Name: "comments",
		Keys: []entity.Key{{Field: "ID"}},
		Parents: []entity.Parent{
			{Field: "ARTICLE_ID", Table: "articles"},
			{Field: "USER_ID", Table: "users"},
		},
	}}
}

// headers holds the field headers in languages other than English.
//
//go:embed headers.txt
var headers string

// Declaration returns the fields and properties of the type.
func (*Type) Declaration() *entity.Declaration { return &declaration }

var declaration = entity.Declaration{
	Name: "COMMENT", Resource: "comments", Title: "Comments",
	Subjects: []string{"comment", "reply"},
	Modes:    []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert},
	Export:   &entity.Export{Table: "comments", Key: "id"},
	Fields: entity.WithTranslatedHeaders(headers, []entity.Field{
		{Name: "ID", Column: "id", Title: "Id", Kind: entity.UUID, Identifying: true, Default: "gen_random_uuid()",
			Concepts: []string{"record.id"}, Aliases: []string{"Comment id", "UUID", "Identifier"}},
		{Name: "BODY", Column: "body", Title: "Body", Kind: entity.Text, Required: true, MaxLength: 10_000,
			Concepts: []string{"comment.body", "article.body"}, Aliases: []string{"Content", "Text", "Comment", "Message"}},
		{Name: "ARTICLE_ID", Column: "article_id", Title: "Article id", Kind: entity.UUID, Required: true,
			Concepts: []string{"article:record.id"}, Aliases: []string{"Article", "Article uuid", "Post id"}},
		{Name: "USER_ID", Column: "user_id", Title: "User id", Kind: entity.UUID, Required: true,
			Concepts: []string{"user:record.id"}, Aliases: []string{"User", "User uuid", "Commenter id", "Author id"}},
		{Name: "CREATED_AT", Column: "created_at", Title: "Created at", Kind: entity.Timestamp, Default: "now()",
			Concepts: []string{"record.created"}, Aliases: []string{"Created", "Creation date", "Creation time", "Commented at", "Date"}},
	}),
}
