package entity

import (
	"fmt"
	"strings"
)

// Export says where the rows of a type are read. What is read for a field is
// what an import of the type takes: a reference is a code or a name, not an id.
type Export struct {
	Table   string // has a row for each entity; e in SQL expressions
	Joins   string // what the fields' sources need besides it
	Context string // column of Table that holds the context's id; "" without one
	Key     string // column of Table, unique within an organisation, whose order exports have
	// Beside are entities of other tables that belong to one of Table, and that its rows
	// write as well: by the column of Table that holds their id.
	Beside map[string]string
}

// Find returns the query of the ids, as text, of up to two entities whose field has a
// value ($1 text): one is found, two are ambiguous. Days and moments are as in exports.
func (d *Declaration) Find(field int) string {
	return fmt.Sprintf("SELECT e.id::text FROM %s AS e%s WHERE %s = $1 LIMIT 2", d.Export.Table, d.joins(), d.Fields[field].text())
}

// Selection is what of a type's rows is read.
type Selection struct {
	Fields  []int  // places of the fields, in the order of the export
	Context *int64 // id of the context, or nil for all
	Filters []Filter
}

// Filter narrows a selection to rows whose field compares so with a value.
type Filter struct {
	Field  int
	Is     Comparison
	Values []string // of the field's kind; one, or any number for OneOf
}

// Comparison is how a field is compared.
type Comparison uint8

// The comparisons. A list is one of the values where it holds one.
const (
	OneOf  Comparison = iota
	From              // the value or later, larger
	Before            // earlier, smaller
)

// Select returns the query of a selection and its arguments. Every value comes
// as text, in the form that Field.text says.
func (d *Declaration) Select(s Selection) (string, []any) {
	values := make([]string, len(s.Fields))
	for i, field := range s.Fields {
		values[i] = d.Fields[field].text()
	}
	where, args := d.conditions(s)
	return fmt.Sprintf("SELECT %s FROM %s AS e%s%s ORDER BY e.%s",
		strings.Join(values, ", "), d.Export.Table, d.joins(), where, d.Export.Key), args
}

// Count returns the query of how many rows a selection has, up to a limit.
func (d *Declaration) Count(s Selection, limit int64) (string, []any) {
	where, args := d.conditions(s)
	return fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s AS e%s%s LIMIT %d) AS n",
		d.Export.Table, d.joins(), where, limit), args
}

func (d *Declaration) joins() string {
	if d.Export.Joins == "" {
		return ""
	}
	return " " + strings.TrimSpace(d.Export.Joins)
}

func (d *Declaration) conditions(s Selection) (string, []any) {
	var all []string
	var args []any
	if s.Context != nil {
		args = append(args, *s.Context)
		all = append(all, fmt.Sprintf("e.%s = $%d", d.Export.Context, len(args)))
	}
	for _, f := range s.Filters {
		condition, arg := d.Fields[f.Field].condition(f, len(args)+1)
		args = append(args, arg)
		all = append(all, condition)
	}
	if len(all) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(all, " AND "), args
}

func (f *Field) expression() string {
	if f.Source != "" {
		return f.Source
	}
	return "e." + f.Column
}

// text is the SQL of the field's value as text: days as YYYY-MM-DD, moments in
// UTC as ISO 8601 with microseconds, lists as JSON arrays.
func (f *Field) text() string {
	switch f.Kind {
	case Date:
		return fmt.Sprintf("to_char(%s, 'YYYY-MM-DD')", f.expression())
	case Timestamp:
		return fmt.Sprintf(`to_char(%s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`, f.expression())
	case TextList:
		return fmt.Sprintf("array_to_json(%s)::text", f.expression())
	default:
		return fmt.Sprintf("(%s)::text", f.expression())
	}
}

// condition is the SQL of a filter whose argument has that number.
func (f *Field) condition(filter Filter, argument int) (string, any) {
	elementType := strings.TrimSuffix(f.Kind.ArrayType(), "[]")
	if f.Kind == Decimal {
		elementType = "numeric"
	}
	if f.Kind == Reference {
		elementType = "text" // what is exported of it
	}
	switch filter.Is {
	case From:
		return fmt.Sprintf("%s >= $%d::text::%s", f.expression(), argument, elementType), filter.Values[0]
	case Before:
		return fmt.Sprintf("%s < $%d::text::%s", f.expression(), argument, elementType), filter.Values[0]
	}
	if f.Kind == TextList {
		return fmt.Sprintf("%s && $%d::text[]", f.expression(), argument), filter.Values
	}
	values := fmt.Sprintf("$%d::text[]::%s[]", argument, elementType)
	if elementType != "text" { // a subquery, because under row level security no index is used for a comparison with a cast
		values = fmt.Sprintf("(SELECT %s)::%s[]", values, elementType)
	}
	return fmt.Sprintf("%s = ANY (%s)", f.expression(), values), filter.Values
}
