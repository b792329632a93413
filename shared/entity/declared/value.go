package declared

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// baseType returns the type of a column's values without modifier, for casts: Postgres would cut a
// value that is cast to a length, and round one that is cast to a scale.
func baseType(column *pgtable.Column) string {
	switch column.Base {
	case "character": // means character(1) in SQL
		return "bpchar"
	case "bit": // means bit(1) in SQL
		return `"bit"`
	}
	return column.Base
}

// assigned returns the SQL of a decoded value as it is assigned to the column.
func (f *field) assigned(value string) string {
	base := baseType(f.Column)
	switch f.kind {
	case entity.Timestamp:
		if base == "timestamp without time zone" {
			return value + " AT TIME ZONE " + quoteText(f.zone())
		}
		if base != "timestamp with time zone" {
			return value + "::" + base
		}
		return value
	case entity.Decimal:
		return value + "::numeric"
	case entity.TextList:
		if f.Element == "text" {
			return value + "::text[]"
		}
		return value + "::text[]::" + base
	}
	if base == "text" || base == "character varying" || base == "bpchar" {
		if f.kind == entity.Text || f.kind == entity.Email || f.kind == entity.Enum {
			return value
		}
		return value + "::text"
	}
	return value + "::" + base
}

// compared returns the SQL of a decoded value for comparisons with the column, in its type.
func (f *field) compared(value string) string {
	switch {
	case strings.HasPrefix(f.Base, "time"):
		return "(" + f.assigned(value) + ")::" + f.plainType()
	case f.rounds() && f.Base == "numeric":
		return fmt.Sprintf("round(%s, %d)", f.assigned(value), f.Scale)
	case f.kind == entity.Decimal && f.Base != "numeric", f.Base == "character":
		return f.assigned(value) + "::" + baseType(f.Column)
	}
	return "(" + f.assigned(value) + ")"
}

// plainType returns the type of a column of times with its modifier, to which Postgres rounds them.
func (f *field) plainType() string {
	if f.Domain != "" {
		return f.Base
	}
	return f.Type
}

// ofExtension returns the schema of a column's type if an extension brings it and its operators along;
// "" for all other types. The search path may lack that schema.
func ofExtension(column *pgtable.Column) string {
	end := strings.LastIndexByte(column.Base, '.')
	if end < 0 || column.TypeKind != "b" || column.Element != "" {
		return ""
	}
	return column.Base[:end]
}

// equals returns the SQL operator by which values of a column are equal.
func equals(column *pgtable.Column) string {
	if schema := ofExtension(column); schema != "" {
		return "OPERATOR(" + schema + ".=)"
	}
	return "="
}

// comparedAsText reports whether values of a column are compared as texts: they have no equality, or
// one of an extension, to which different texts may be equal.
func comparedAsText(column *pgtable.Column) bool {
	return !column.Comparable || ofExtension(column) != ""
}

// differs returns the SQL condition that a stored value differs from another one.
func differs(column *pgtable.Column, stored, other string) string {
	if comparedAsText(column) {
		return stored + "::text IS DISTINCT FROM (" + other + ")::text"
	}
	return stored + " IS DISTINCT FROM " + other
}

// keepsValue reports whether an empty cell leaves the value of an existing row as it is.
func (f *field) keepsValue() bool { return f.declared.Empty != "null" }
