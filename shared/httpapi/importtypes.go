package httpapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
)

// importType is the declaration of a type.
type importType struct {
	Name      string          `json:"name"`
	Version   int             `json:"version,omitempty"` // of a declared type
	Resource  string          `json:"resource"`
	Title     string          `json:"title"`
	Subjects  []string        `json:"subjects,omitempty"`
	WholeFile bool            `json:"wholeFile"`
	Modes     []rowwrite.Mode `json:"modes"`
	Context   *typeContext    `json:"context"`
	Options   []entity.Option `json:"options"`
	Fields    []typeField     `json:"fields"`
	Rules     []typeRule      `json:"rules,omitempty"`
}

// typeRule is a rule over several fields.
type typeRule struct {
	Kind    string   `json:"kind"`
	Fields  []string `json:"fields"`
	Field   string   `json:"field"`
	Message string   `json:"message"`
}

type typeContext struct {
	Param string `json:"param"`
	Title string `json:"title"`
}

type typeField struct {
	Name      string   `json:"name"`
	Column    string   `json:"column"`
	Title     string   `json:"title"`
	Kind      string   `json:"kind"`
	Required  bool     `json:"isRequired"`
	MaxLength int      `json:"maxLength,omitempty"`
	Values    []string `json:"values,omitempty"`
	Aliases   []string `json:"aliases"`
	Mappable  bool     `json:"isMappable,omitempty"` // people can map its values
	CanCreate bool     `json:"canCreate,omitempty"`  // entities can be created from its values
	fieldRules
}

// fieldRules are the constraints and properties of a field's values.
type fieldRules struct {
	Pattern     string    `json:"pattern,omitempty"`
	Form        string    `json:"form,omitempty"` // description of the pattern
	Minimum     string    `json:"minimum,omitempty"`
	Maximum     string    `json:"maximum,omitempty"`
	Unit        string    `json:"unit,omitempty"`
	Decimals    *int      `json:"decimals,omitempty"`
	Past        bool      `json:"isPast,omitempty"`
	Identifying bool      `json:"isIdentifying,omitempty"`
	Allowed     []string  `json:"allowedPlaceholders,omitempty"`
	Without     string    `json:"withoutValue,omitempty"`
	ExactDigits bool      `json:"hasExactDigits,omitempty"`
	Synonyms    []synonym `json:"synonyms,omitempty"`
	Content     string    `json:"content,omitempty"`
}

// synonym is another word for one of a field's values.
type synonym struct {
	Word  string `json:"word"`
	Value string `json:"value"`
}

// listTypes is GET /api/import-types: the compiled types, and those that the organisation has declared.
func (a *api) listTypes(w http.ResponseWriter, r *http.Request) error {
	var types []entity.Type
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		types, err = a.Types.TypesOf(ctx, tx, organisationOf(r))
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]importType, len(types))
	for i, t := range types {
		documents[i] = toImportType(languageOf(r), t.Declaration())
	}
	return writeJSON(w, http.StatusOK, documents)
}

func toImportType(l translation.Language, d *entity.Declaration) importType {
	t := importType{
		Name: d.Name, Version: d.Version, Resource: d.Resource, Title: l.Text(d.Title), Subjects: d.Subjects, WholeFile: d.WholeFile, Modes: d.Modes,
		Options: append([]entity.Option{}, d.Options...), Fields: make([]typeField, len(d.Fields)),
	}
	if d.Context != nil {
		t.Context = &typeContext{Param: d.Context.Param, Title: l.Text(d.Context.Title)}
	}
	for i := range t.Options {
		t.Options[i].Title = l.Text(t.Options[i].Title)
	}
	for i, f := range d.Fields {
		t.Fields[i] = toTypeField(l, f)
	}
	for _, r := range d.Rules {
		kind := map[entity.RuleKind]string{entity.AnyOf: "anyOf", entity.InOrder: "inOrder"}[r.Kind]
		t.Rules = append(t.Rules, typeRule{Kind: kind, Fields: r.Fields, Field: r.Field, Message: l.Text(r.Message)})
	}
	return t
}

func toTypeField(l translation.Language, f entity.Field) typeField {
	aliases := slices.Concat(f.Aliases, f.TranslatedAliases)
	title := l.Title(f.Title, f.Titles)
	if title != f.Title {
		aliases = append(aliases, f.Title) // headers in English still match exactly
	}
	return typeField{
		Name: f.Name, Column: f.Column, Title: title, Kind: kindName(f.Kind), Required: f.Required,
		MaxLength: f.MaxLength, Values: f.Enum, Aliases: sliceOrEmpty(aliases),
		Mappable: f.HasMappableValues(), CanCreate: f.Lookup != nil && (f.Lookup.Create != "" || f.Lookup.AddOption != ""),
		fieldRules: rulesOf(l, f),
	}
}

func rulesOf(l translation.Language, f entity.Field) fieldRules {
	r := fieldRules{
		Pattern: f.Pattern, Form: l.Text(f.FormatHint), Minimum: f.Min, Maximum: f.Max, Unit: f.Unit, Decimals: f.Decimals, Past: f.PastOnly, Identifying: f.Identifying,
		Allowed: f.AllowedPlaceholders, Without: l.Text(f.WithoutValue), ExactDigits: f.ExactDigits,
		Content: map[entity.Content]string{entity.PhoneNumbers: "phone", entity.CountryNames: "country"}[f.Content],
	}
	for _, s := range f.Synonyms {
		r.Synonyms = append(r.Synonyms, synonym(s))
	}
	return r
}

// kindName returns the API name of a kind of field.
func kindName(k entity.Kind) string {
	switch k {
	case entity.Email:
		return "email"
	case entity.Enum:
		return "enum"
	case entity.UUID:
		return "uuid"
	case entity.Integer:
		return "integer"
	case entity.Decimal:
		return "decimal"
	case entity.Boolean:
		return "boolean"
	case entity.Date:
		return "date"
	case entity.Timestamp:
		return "timestamp"
	case entity.Reference:
		return "reference"
	case entity.TextList:
		return "list"
	default:
		return "text"
	}
}
