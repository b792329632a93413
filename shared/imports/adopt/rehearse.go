package adopt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// rehearsed is the maximum number of existing rows that a check writes.
const rehearsed = 3

// Postgres's codes of errors.
const (
	insufficientPrivilege = "42501"
	uniqueViolation       = "23505"
	exclusionViolation    = "23P01"
	notNullViolation      = "23502"
	accessRuleViolation   = "42" // a class: it depends on no value of the row
	raisedException       = "P0001"
)

// rehearse writes rows and rolls them back. Rows that exist already are the best examples of what the
// table accepts: they are written as they are, and added again, which only a unique key may refuse.
// An empty table gets a generated row.
func (c *checker) rehearse(ctx context.Context, tx pgx.Tx) error {
	found, err := c.updateToSame(ctx, tx)
	if err != nil || !c.report.OK() {
		return err
	}
	if found == 0 {
		return c.insertGenerated(ctx, tx)
	}
	c.report.Rehearsed = found
	columns := sqlNames(c.columns(func(column *pgtable.Column) bool { return column.Insert }))
	where, args := c.within("true")
	return c.insert(ctx, tx, "a copy of an existing row", fmt.Sprintf("INSERT INTO %s (%s)%s SELECT %s FROM %s%s LIMIT 1",
		c.sqlName(), columns, c.overriding(), columns, c.sqlName(), where), args...)
}

// columns returns the columns that imports write: those of the fields, and that of the organisation.
func (c *checker) columns(include func(*pgtable.Column) bool) []string {
	var columns []string
	for _, f := range c.declaration.Fields {
		columns = append(columns, f.Column)
	}
	if t := c.declaration.Tenant.Column; t != "" && !slices.Contains(columns, t) {
		columns = append(columns, t)
	}
	return slices.DeleteFunc(columns, func(name string) bool { return !include(c.Table.Column(name)) })
}

// overriding returns what an INSERT needs if it contains ids that the table always generates.
func (c *checker) overriding() string {
	if len(c.columns(func(column *pgtable.Column) bool { return column.Identity == "always" })) > 0 {
		return " OVERRIDING SYSTEM VALUE"
	}
	return ""
}

// updateToSame sets the columns of existing rows to the values that they have, and reports columns
// that came back changed. It returns the number of rows.
func (c *checker) updateToSame(ctx context.Context, tx pgx.Tx) (found int, err error) {
	identity := c.declaration.Identity
	columns := c.columns(func(column *pgtable.Column) bool {
		return column.Update && !slices.Contains(identity, column.Name) && column.Identity == ""
	})
	if len(columns) == 0 {
		return 0, nil
	}
	var set, same, changed, returned []string
	for _, name := range columns {
		q := pgx.Identifier{name}.Sanitize()
		set = append(set, q+" = old."+q)
		changed = append(changed, "coalesce(bool_or(old."+q+"::text IS DISTINCT FROM new."+q+"::text), false)")
	}
	for _, name := range identity {
		q := pgx.Identifier{name}.Sanitize()
		same = append(same, "%[1]s."+q+" = old."+q)
	}
	all := append(slices.Clone(identity), columns...)
	for _, name := range all {
		returned = append(returned, "e."+pgx.Identifier{name}.Sanitize())
	}
	join := strings.Join(same, " AND ")
	where, args := c.within("true")
	sql := fmt.Sprintf(`
		WITH old AS MATERIALIZED (
			SELECT %s FROM %s%s LIMIT %d FOR NO KEY UPDATE
		), new AS (
			UPDATE %s AS e
			SET %s
			FROM old
			WHERE %s
			RETURNING %s
		)
		SELECT (SELECT count(*) FROM old), (SELECT count(*) FROM new), ARRAY[%s]
		FROM old
		JOIN new ON %s`,
		sqlNames(all), c.sqlName(), where, rehearsed, c.sqlName(), strings.Join(set, ", "), fmt.Sprintf(join, "e"), strings.Join(returned, ", "),
		strings.Join(changed, ", "), fmt.Sprintf(join, "new"))
	var written int
	var derived []bool
	err = Limited(ctx, tx, checkTimeout, func(tx pgx.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(&found, &written, &derived) })
	if err != nil {
		return 0, c.refused(err, "an existing row, without a change")
	}
	if written < found {
		c.report.warn("", "A trigger or a policy kept %d of %d rows from being updated. Results of imports list such rows.", found-written, found)
	}
	for i, name := range columns {
		if i < len(derived) && derived[i] {
			c.report.Derived = append(c.report.Derived, name)
			c.report.warn("", "The table changes column %s while it is written. Results show what was written.", name)
		}
	}
	return found, nil
}

// insert adds a row that is described as what.
func (c *checker) insert(ctx context.Context, tx pgx.Tx, what, sql string, args ...any) error {
	var added int64
	err := Limited(ctx, tx, checkTimeout, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, args...)
		added = tag.RowsAffected()
		return err
	})
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && (pg.Code == uniqueViolation || pg.Code == exclusionViolation): // after all other checks
	case err != nil:
		return c.refused(err, what)
	case added == 0:
		c.report.warn("", "A trigger kept the table from adding %s. Results of imports list such rows.", what)
	}
	return nil
}

// refused reports that the database refused a row. Postgres's message could contain values.
func (c *checker) refused(err error, what string) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return fmt.Errorf("rehearse import: %w", err)
	}
	switch {
	case pg.Code == insufficientPrivilege && !c.Table.RowSecurity:
		c.report.fault("", "The role %s may not write %s: a privilege of the table is missing. Ask the table's owner to grant INSERT and UPDATE.", c.Role, what)
	case c.isRefusedByPolicy(pg):
		c.refusedByPolicy("write "+what, pg)
	case strings.HasPrefix(pg.Code, accessRuleViolation):
		c.report.fault("", "The database refused %s, as it would refuse all rows (SQLSTATE %s). Look at the triggers and defaults of the table.", what, pg.Code)
	case pg.Code == notNullViolation && !slices.Contains(c.columns(func(*pgtable.Column) bool { return true }), pg.ColumnName):
		c.report.fault("", "Column %s needs a value, and no field or default sets it. Add a field, or ask the table's owner for a default.", pg.ColumnName)
	case pg.ConstraintName != "":
		c.report.warn("", "Constraint %s refused %s (%s). Rows of files must fulfil it.", pg.ConstraintName, what, pg.Code)
	default:
		c.report.warn("", "The database refused %s (SQLSTATE %s). Look at the triggers of the table and at the types of its columns.", what, pg.Code)
	}
	return nil
}

// insertGenerated adds a row of generated values to an empty table.
func (c *checker) insertGenerated(ctx context.Context, tx pgx.Tx) error {
	var names []string
	var values []string
	var args []any
	for _, name := range c.columns(func(column *pgtable.Column) bool { return column.Insert }) {
		column := c.Table.Column(name)
		var value rowValue
		switch {
		case name == c.declaration.Tenant.Column:
			value = c.tenantValue()
		case column.Required():
			value = c.sample(column)
		default:
			continue
		}
		names = append(names, name)
		if value.query != "" {
			values = append(values, value.query)
			continue
		}
		args = append(args, value.text)
		cast := fmt.Sprintf("$%d::text", len(args))
		if !isText(column) {
			cast += "::" + column.Base
		}
		values = append(values, cast)
	}
	into, row := fmt.Sprintf("(%s)", sqlNames(names)), fmt.Sprintf("VALUES (%s)", strings.Join(values, ", "))
	if len(names) == 0 {
		into, row = "", "DEFAULT VALUES"
	}
	c.report.Rehearsed = 1
	return c.insert(ctx, tx, "a generated row", fmt.Sprintf("INSERT INTO %s %s%s %s", c.sqlName(), into, c.overriding(), row), args...)
}

// rowValue is a value of a generated row: a text, or the query that reads it.
type rowValue struct{ text, query string }

// tenantValue returns the value of the organisation's column.
func (c *checker) tenantValue() rowValue {
	if value := c.declaration.Tenant.Value; value != declared.ValueOrganisation {
		return rowValue{text: value}
	}
	return rowValue{query: fmt.Sprintf("(SELECT current_setting('app.organisation')::%s)", c.Table.Column(c.declaration.Tenant.Column).Base)}
}

// sample returns a value for a column: for a foreign key, one of the table that it refers to.
func (c *checker) sample(column *pgtable.Column) rowValue {
	for i := range c.Table.ForeignKeys {
		if k := &c.Table.ForeignKeys[i]; slices.Equal(k.From, []string{column.Name}) {
			return rowValue{query: fmt.Sprintf("(SELECT %s FROM %s LIMIT 1)", sqlNames(k.To), pgx.Identifier{k.Schema, k.Table}.Sanitize())}
		}
	}
	return rowValue{text: sampleText(column)}
}

// sampleText returns a text that the column's type accepts.
func sampleText(column *pgtable.Column) string {
	switch {
	case column.Element != "":
		return "{}"
	case len(column.Labels) > 0:
		return column.Labels[0]
	case len(column.Words) > 0:
		return column.Words[0]
	case column.TypeKind == "r", column.TypeKind == "m":
		return map[string]string{"r": "empty", "m": "{}"}[column.TypeKind]
	}
	if value, known := samples[column.Base]; known {
		return value
	}
	if column.MaxLength == 1 {
		return "A"
	}
	return "AA"
}

// samples are values of types with a fixed form of texts.
var samples = map[string]string{
	"smallint": "1", "integer": "1", "bigint": "1", "numeric": "1", "real": "1", "double precision": "1", "boolean": "true",
	"date": "2020-01-01", "timestamp with time zone": "2020-01-01 00:00:00+00", "timestamp without time zone": "2020-01-01 00:00:00",
	"time without time zone": "12:00", "time with time zone": "12:00+00", "interval": "1 day", "uuid": "00000000-0000-4000-8000-000000000001",
	"json": "{}", "jsonb": "{}", "xml": "<a/>", "inet": "192.0.2.1", "cidr": "192.0.2.0/24", "macaddr": "08:00:2b:01:02:03", "point": "(0,0)", "bit": "1", "bit varying": "1",
}
