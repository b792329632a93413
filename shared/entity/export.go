package entity

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Export specifies how exports read the rows of a type. Exported values are valid import values:
// a reference is exported as a code or a name, not as an id.
type Export struct {
	Table   string // has a row for each entity; e in SQL expressions. Change sets contain this name
	Source  string // Table in SQL; "" if it is the same
	Joins   string // further tables that the fields' expressions need
	Context string // column of Table with the context's id; "" without a context
	Key     string // column of Table, unique within an organisation, by which exports are ordered
	// Where is an SQL condition that selects the organisation's rows, for tables without a policy that
	// does; "" for none.
	Where string
	// Identity is the SQL expression of an entity's id as text; "" is the column id.
	Identity string
	// RelatedTables are other tables with entities that belong to one of Table and are written by
	// the same rows, by the column of Table that holds their id.
	RelatedTables map[string]string
}

// Find returns the ids, as text, of up to two entities with the value in the field. One id is
// unique, two are ambiguous. Dates and timestamps are formatted as in exports. It is no method: the
// command line keeps the methods of declarations, and would link the database driver.
func Find(ctx context.Context, tx pgx.Tx, d *Declaration, field int, value string) ([]string, error) {
	rows, err := tx.Query(ctx, fmt.Sprintf("SELECT %s FROM %s AS e%s WHERE %s = $1%s LIMIT 2",
		cmp.Or(d.Export.Identity, "e.id::text"), d.source(), d.joins(), d.Fields[field].textExpr(), prefixed(" AND ", d.Export.Where)), value)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", d.Resource, err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", d.Resource, err)
	}
	return ids, nil
}

// Selection specifies which of a type's rows to read.
type Selection struct {
	Fields  []int  // indexes of the fields, in the order of the export
	Context *int64 // id of the context, or nil for all
	Filters []Filter
}

// Filter restricts a selection by comparing a field with values.
type Filter struct {
	Field  int
	Is     Comparison
	Values []string // of the field's kind; one value, or any number for OneOf
}

// Comparison is the operator of a filter.
type Comparison uint8

// The comparisons. A list equals a value if it contains the value.
const (
	OneOf    Comparison = iota
	AtLeast             // greater than or equal to the value
	LessThan            // less than the value
)

// SelectQuery returns the query of a selection and its arguments. Every value is returned as
// text in the format of textExpr.
func (d *Declaration) SelectQuery(s Selection) (string, []any) {
	values := make([]string, len(s.Fields))
	for i, field := range s.Fields {
		values[i] = d.Fields[field].textExpr()
	}
	where, args := d.conditions(s)
	return fmt.Sprintf("SELECT %s FROM %s AS e%s%s ORDER BY e.%s",
		strings.Join(values, ", "), d.source(), d.joins(), where, d.Export.Key), args
}

// Count returns the number of rows of a selection, up to a limit.
func Count(ctx context.Context, tx pgx.Tx, d *Declaration, s Selection, limit int64) (n int64, err error) {
	where, args := d.conditions(s)
	err = tx.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s AS e%s%s LIMIT %d) AS n", d.source(), d.joins(), where, limit), args...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", d.Resource, err)
	}
	return n, nil
}

// prefixed returns a text with a prefix, or "" for "".
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func (d *Declaration) source() string { return cmp.Or(d.Export.Source, d.Export.Table) }

func (d *Declaration) joins() string {
	return prefixed(" ", strings.TrimSpace(d.Export.Joins))
}

func (d *Declaration) conditions(s Selection) (string, []any) {
	var all []string
	var args []any
	if d.Export.Where != "" {
		all = append(all, d.Export.Where)
	}
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

func (f *Field) sqlExpr() string {
	if f.Expr != "" {
		return f.Expr
	}
	return "e." + f.Column
}

// textExpr returns the SQL of the field's value as text: dates as YYYY-MM-DD, timestamps in UTC
// as ISO 8601 with microseconds, lists as JSON arrays.
func (f *Field) textExpr() string {
	switch f.Kind {
	case Date:
		return fmt.Sprintf("to_char(%s, 'YYYY-MM-DD')", f.sqlExpr())
	case Timestamp:
		return fmt.Sprintf(`to_char(%s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`, f.sqlExpr())
	case TextList:
		return fmt.Sprintf("array_to_json(%s)::text", f.sqlExpr())
	default:
		return fmt.Sprintf("(%s)::text", f.sqlExpr())
	}
}

// condition returns the SQL of a filter and its argument, which has the number argument.
func (f *Field) condition(filter Filter, argument int) (string, any) {
	elementType := strings.TrimSuffix(f.Kind.ArrayType(), "[]")
	if f.Kind == Decimal {
		elementType = "numeric"
	}
	if f.Kind == Reference {
		elementType = "text" // the exported form
	}
	switch filter.Is {
	case AtLeast:
		return fmt.Sprintf("%s >= $%d::text::%s", f.sqlExpr(), argument, elementType), filter.Values[0]
	case LessThan:
		return fmt.Sprintf("%s < $%d::text::%s", f.sqlExpr(), argument, elementType), filter.Values[0]
	}
	if f.Kind == TextList {
		return fmt.Sprintf("%s && $%d::text[]", f.sqlExpr(), argument), filter.Values
	}
	values := fmt.Sprintf("$%d::text[]::%s[]", argument, elementType)
	if elementType != "text" { // a subquery, because under row level security no index is used for a comparison with a cast
		values = fmt.Sprintf("(SELECT %s)::%s[]", values, elementType)
	}
	return fmt.Sprintf("%s = ANY (%s)", f.sqlExpr(), values), filter.Values
}
