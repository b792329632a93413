// Package declared converts the API's description of an import type to a declaration, so that
// files can be checked locally with the installation's rules.
//
// Tested by infra/tests/cli: errors found in files, compared with imports of the same files.
package declared

import (
	"fmt"

	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/shared/entity"
)

// Type returns the type as the installation declares it.
func Type(t *api.ImportType) (*entity.Declaration, error) {
	d := &entity.Declaration{Name: t.Name, Resource: t.Resource, Title: t.Title, Subjects: valueOrZero(t.Subjects), WholeFile: t.WholeFile}
	for i := range t.Fields {
		f, err := field(&t.Fields[i])
		if err != nil {
			return nil, err
		}
		d.Fields = append(d.Fields, f)
	}
	for _, r := range valueOrZero(t.Rules) {
		kind, ok := rules[r.Kind]
		if !ok {
			return nil, fmt.Errorf("%s has a rule that this version of loadbay does not support: %s", t.Name, r.Kind)
		}
		d.Rules = append(d.Rules, entity.Rule{Kind: kind, Fields: r.Fields, Field: r.Field, Message: r.Message})
	}
	return d, nil
}

// rules maps JSON names to kinds of rules.
var rules = map[api.RuleKind]entity.RuleKind{api.RuleKindAnyOf: entity.AnyOf, api.RuleKindInOrder: entity.InOrder}

// kinds maps JSON names to kinds of fields.
var kinds = map[api.FieldKind]entity.Kind{
	api.FieldKindText: entity.Text, api.FieldKindEmail: entity.Email, api.FieldKindEnum: entity.Enum, api.FieldKindUUID: entity.UUID,
	api.FieldKindInteger: entity.Integer, api.FieldKindDecimal: entity.Decimal, api.FieldKindBoolean: entity.Boolean, api.FieldKindDate: entity.Date,
	api.FieldKindTimestamp: entity.Timestamp, api.FieldKindReference: entity.Reference, api.FieldKindList: entity.TextList,
}

// columnTypes maps JSON names to the contents of fields.
var columnTypes = map[api.FieldContent]entity.Content{api.FieldContentPhone: entity.PhoneNumbers, api.FieldContentCountry: entity.CountryNames}

func field(in *api.Field) (entity.Field, error) {
	kind, ok := kinds[in.Kind]
	if !ok {
		return entity.Field{}, fmt.Errorf("the field %s has a kind that this version of loadbay does not support: %s", in.Name, in.Kind)
	}
	f := entity.Field{
		Name: in.Name, Column: in.Column, Title: in.Title, Aliases: in.Aliases, Kind: kind, Required: in.IsRequired, Identifying: valueOrZero(in.IsIdentifying),
		AllowedPlaceholders: valueOrZero(in.AllowedPlaceholders), WithoutValue: valueOrZero(in.WithoutValue), ExactDigits: valueOrZero(in.HasExactDigits),
		MaxLength: valueOrZero(in.MaxLength), Pattern: valueOrZero(in.Pattern), FormatHint: valueOrZero(in.Form), Min: valueOrZero(in.Minimum), Max: valueOrZero(in.Maximum),
		Unit: valueOrZero(in.Unit), Decimals: in.Decimals, PastOnly: valueOrZero(in.IsPast), Enum: valueOrZero(in.Values), Content: columnTypes[valueOrZero(in.Content)],
	}
	for _, s := range valueOrZero(in.Synonyms) {
		f.Synonyms = append(f.Synonyms, entity.Synonym{Word: s.Word, Value: s.Value})
	}
	return f, nil
}

func valueOrZero[T any](value *T) T {
	if value == nil {
		var zero T
		return zero
	}
	return *value
}
