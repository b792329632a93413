// Package article is the import type ARTICLE: texts by users, known by id or by slug.
package article

import (
	_ "embed"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports articles.
type Type struct{ entity.Table }

// New returns the type.
func New() *Type {
	return &Type{entity.Table{
		Name:            "articles",
		Keys:            []entity.Key{{Field: "ID"}, {Field: "SLUG"}},
		Parents:         []entity.Parent{{Field: "AUTHOR_ID", Table: "users"}},
		UpdatedAtColumn: "updated_at",
	}}
}

// headers holds the field headers in languages other than English.
//
//go:embed headers.txt
var headers string

// Declaration returns the fields and properties of the type.
func (*Type) Declaration() *entity.Declaration { return &declaration }

var declaration = entity.Declaration{
	Name: "ARTICLE", Resource: "articles", Title: "Articles",
	Subjects: []string{"article", "post"},
	Modes:    []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert},
	Export:   &entity.Export{Table: "articles", Key: "id"},
	Fields: entity.WithTranslatedHeaders(headers, []entity.Field{
		{Name: "ID", Column: "id", Title: "Id", Kind: entity.UUID, Identifying: true, Default: "gen_random_uuid()",
			Concepts: []string{"record.id"}, Aliases: []string{"Article id", "UUID", "Identifier"}},
		{Name: "SLUG", Column: "slug", Title: "Slug", Kind: entity.Text, Identifying: true, AllowedPlaceholders: entity.NameWords(), Required: true, MaxLength: 200,
			Pattern: `^[a-z0-9]+(-[a-z0-9]+)*$`, FormatHint: "small letters and digits, with single hyphens between: first-of-may",
			Concepts: []string{"record.slug"}, Aliases: []string{"Permalink", "Url name", "Short name"}},
		{Name: "TITLE", Column: "title", Title: "Title", Kind: entity.Text, Required: true, MaxLength: 300,
			Concepts: []string{"record.title"}, Aliases: []string{"Headline", "Heading"}},
		{Name: "DESCRIPTION", Column: "description", Title: "Description", Kind: entity.Text, MaxLength: 2000,
			Concepts: []string{"article.summary", "record.description"}, Aliases: []string{"Summary", "Abstract", "Teaser", "Excerpt"}},
		{Name: "BODY", Column: "body", Title: "Body", Kind: entity.Text, Required: true,
			Concepts: []string{"article.body"}, Aliases: []string{"Content", "Text", "Article body"}},
		{Name: "AUTHOR_ID", Column: "author_id", Title: "Author id", Kind: entity.UUID, Required: true,
			Concepts: []string{"article.author", "author:record.id"}, Aliases: []string{"Author", "Written by", "Author uuid"}},
		{Name: "TAGS", Column: "tags", Title: "Tags", Kind: entity.TextList, Default: "'{}'",
			Concepts: []string{"record.tags"}, Aliases: []string{"Keywords", "Labels", "Topics"}},
		{Name: "PUBLISHED_AT", Column: "published_at", Title: "Published at", Kind: entity.Timestamp,
			Concepts: []string{"article.publishedAt"}, Aliases: []string{"Published", "Publication date", "Date published"}},
		{Name: "STATUS", Column: "status", Title: "Status", Kind: entity.Enum, Enum: []string{"draft", "published", "archived"}, Default: "'draft'",
			Concepts: []string{"record.status"}, Aliases: []string{"State", "Article status"}},
		{Name: "CREATED_AT", Column: "created_at", Title: "Created at", Kind: entity.Timestamp, Default: "now()",
			Concepts: []string{"record.created"}, Aliases: []string{"Created", "Creation date", "Creation time"}},
		{Name: "UPDATED_AT", Column: "updated_at", Title: "Updated at", Kind: entity.Timestamp, Default: "now()",
			Concepts: []string{"record.updated"}, Aliases: []string{"Updated", "Last updated", "Modified", "Last modified", "Changed at", "Last changed"}},
	}),
}
