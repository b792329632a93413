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

// Report says whether imports of a type would work.
type Report struct {
	// Faults make imports fail; Warnings do not.
	Faults, Warnings []Finding
	Grants, Optional []string // SQL for the table's owner
	// Rehearsed is the number of rows that were written and rolled back; 0 if Warnings say why not.
	Rehearsed int
	// Derived are the columns whose values the table changes while it is written.
	Derived []string
}

// OK reports whether imports would work.
func (r *Report) OK() bool { return len(r.Faults) == 0 }

func (r *Report) fault(path, format string, args ...any) {
	r.Faults = append(r.Faults, Finding{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (r *Report) warn(path, format string, args ...any) {
	r.Warnings = append(r.Warnings, Finding{Path: path, Message: fmt.Sprintf(format, args...)})
}

// checkTimeout limits each statement of a check.
const checkTimeout = "10s"

// Check tests a declaration: privileges, triggers, keys without an index against the data, and a few
// rows that it writes and rolls back. It changes nothing. misfits are the parts of the declaration
// that do not fit the table; with any, or without a privilege, the data are not looked at.
func Check(ctx context.Context, tx pgx.Tx, d *declared.Declaration, s *Source, misfits []Finding) (*Report, error) {
	c := &checker{Source: s, declaration: d, report: &Report{Faults: misfits}}
	draft := &drafter{Source: s, Draft: &Draft{Declaration: *d}}
	draft.grants()
	c.report.Grants, c.report.Optional = draft.Grants, draft.Optional
	if len(draft.Grants) > 0 {
		c.report.fault("", "The role %s lacks privileges. The table's owner can run the SQL statements that grant them.", s.Role)
	}
	if s.Table.Owned {
		c.report.warn("", "The role %s owns the table. Import with a role of its own, which policies bind and which cannot change the table.", s.Role)
	}
	c.warnOfSequences()
	outside := c.listTriggers()
	if !c.report.OK() {
		return c.report, nil
	}
	if err := d.Tenant.EnterSession(ctx, tx); err != nil {
		return nil, err
	}
	if err := c.readRow(ctx, tx); err != nil || !c.report.OK() {
		return c.report, err
	}
	if err := c.countKeys(ctx, tx); err != nil {
		return nil, err
	}
	if outside {
		return c.report, nil
	}
	return c.report, c.rehearse(ctx, tx)
}

type checker struct {
	*Source
	declaration *declared.Declaration
	report      *Report
}

// warnOfSequences lists the fields by which files can set ids that the table generates otherwise: its
// sequence does not know them.
func (c *checker) warnOfSequences() {
	for i, f := range c.declaration.Fields {
		if column := c.Table.Column(f.Column); column != nil && (column.Sequence != "" || column.Identity != "") {
			c.report.warn(fmt.Sprintf("fields[%d]", i), "Files can set column %s, which the table generates otherwise. It may later generate an id that a file has used, and refuse that row. Remove the field if files need not set it.", column.Name)
		}
	}
}

// listTriggers lists the triggers with effects outside of the database, and reports whether there are
// any.
func (c *checker) listTriggers() (found bool) {
	for i := range c.Table.Triggers {
		g := &c.Table.Triggers[i]
		if g.Enabled && (g.Insert || g.Update) && HasOutsideEffects(g, c.Functions[g.Function]) {
			found = true
			c.report.warn("", "Trigger %s may have effects outside the database, so no rows were written for this check. Previews of imports would have those effects, too.", g.Name)
		}
	}
	return found
}

// column returns the column of a field.
func (c *checker) column(field string) *pgtable.Column {
	at := slices.IndexFunc(c.declaration.Fields, func(f declared.Field) bool { return f.Name == field })
	return c.Table.Column(c.declaration.Fields[at].Column)
}

// within returns a WHERE clause for the organisation's rows that fulfil a condition, with its
// arguments.
func (c *checker) within(condition string) (where string, args []any) {
	t := &c.declaration.Tenant
	if t.Column == "" {
		return " WHERE " + condition, nil
	}
	column := sqlNames([]string{t.Column})
	if t.Value == declared.ValueOrganisation {
		return fmt.Sprintf(" WHERE %s AND %s::text = current_setting('app.organisation')", condition, column), nil
	}
	return fmt.Sprintf(" WHERE %s AND %s::text = $1", condition, column), []any{t.Value}
}

// maxDuplicates is the maximum number of ambiguous values that are counted.
const maxDuplicates = 1000

// largeTable is a number of rows that each chunk should not read as a whole.
const largeTable = 100_000

// countKeys counts the values of keys without an index that several rows have.
func (c *checker) countKeys(ctx context.Context, tx pgx.Tx) error {
	for i, key := range c.declaration.Keys {
		if key.Index != declared.NoIndex {
			continue
		}
		path := fmt.Sprintf("keys[%d]", i)
		var columns []string
		if c.declaration.Tenant.Column != "" {
			columns = append(columns, c.declaration.Tenant.Column)
		}
		for _, field := range key.Fields {
			columns = append(columns, c.column(field).Name)
		}
		names := sqlNames(columns)
		where, args := c.within("(" + names + ") IS NOT NULL")
		sql := fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s%s GROUP BY %s HAVING count(*) > 1 LIMIT %d) AS repeated", c.sqlName(), where, names, maxDuplicates)
		var repeated int
		err := Limited(ctx, tx, checkTimeout, func(tx pgx.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(&repeated) })
		var pg *pgconn.PgError
		switch {
		case errors.As(err, &pg):
			c.report.warn(path, "The key %s could not be compared with the data: %s.", key.Name, firstLine(pg.Message))
		case err != nil:
			return fmt.Errorf("count repeated keys: %w", err)
		case repeated > 0:
			c.report.fault(path, "The key %s has %d values that several rows have (at most %d are counted). Rows of files with them would fail: use another key.", key.Name, repeated, maxDuplicates)
		}
		if c.Table.Rows > largeTable {
			c.report.warn(path, "No index supports the key %s, so each chunk reads the whole table: about %d rows.", key.Name, c.Table.Rows)
		}
	}
	return nil
}

// firstLine keeps values of rows, which Postgres adds to some messages on further lines or in quotes,
// out of a message.
func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	before, _, quoted := strings.Cut(line, `"`)
	if quoted {
		return strings.TrimSpace(before)
	}
	return line
}

// sqlName returns the table's name in SQL.
func (s *Source) sqlName() string { return pgx.Identifier{s.Table.Schema, s.Table.Name}.Sanitize() }
